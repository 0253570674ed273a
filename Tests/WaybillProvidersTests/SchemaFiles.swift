import Foundation
import WaybillTestSupport

/// The vectors and texts that `scripts/check-schemas.py` holds against the schemas.
enum SchemaFiles {
    static func vectors<Vector: Decodable>(_ type: Vector.Type) throws -> Vector {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(
            type,
            from: Data(contentsOf: SchemaExample.schemas.appending(path: "test-vectors.json"))
        )
    }
}
