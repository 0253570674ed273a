import Foundation
import Glibc
import Testing
import WaybillTestSupport

@testable import waybill

/// The files of an export are regular ones of the user's own, which nobody else may read.
struct ExportFileTests {
    private static let names = ["x.part", "x.state", "x.manifest.json"]

    private static func isRefusal(_ error: any Error, _ text: String) -> Bool {
        (error as? CommandFailure)?.status == .badInput && (error as? CommandFailure)?.text.contains(text) == true
    }

    @Test(arguments: names) func noLinkIsFollowed(name: String) throws {
        let source = try CountedSource()
        let other = try source.folder.write("other", "precious", mode: 0o644)
        let link = "\(source.folder.path)/\(name)"
        for target in [other, "\(source.folder.path)/none"] {
            #expect(symlink(target, link) == 0)
            for resumes in [false, true] {
                #expect { try source.makeRun(resumes: resumes) } throws: { Self.isRefusal($0, "is a symbolic link") }
            }
            #expect(unlink(link) == 0)
        }
        #expect(try source.contents(other) == Data("precious".utf8))
        #expect(source.folder.mode(of: "other") == 0o644)
        #expect(!FileManager.default.fileExists(atPath: "\(source.folder.path)/none"))
        try source.begin()
        #expect(try source.end()?.records == 30)
    }

    /// One that is put there while the export is under way.
    @Test(arguments: [false, true]) func noLinkIsFollowedLater(isManifest: Bool) throws {
        let source = try CountedSource()
        let other = try source.folder.write("other", "precious")
        var run = try source.makeRun(resumes: false)
        #expect {
            try run.run { _ in
                symlink(other, isManifest ? source.manifest : source.state)
                return isManifest
            }
        } throws: {
            Self.isRefusal($0, "is a symbolic link")
        }
        #expect(try source.contents(other) == Data("precious".utf8))
    }

    @Test(arguments: names) func whatIsNoRegularFileIsRefused(name: String) throws {
        let source = try CountedSource()
        let path = "\(source.folder.path)/\(name)"
        #expect(mkfifo(path, 0o600) == 0)
        #expect { try source.makeRun() } throws: { Self.isRefusal($0, "is no regular file") }
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        #expect { try source.makeRun() } throws: { Self.isRefusal($0, "is no regular file") }
    }

    @Test func anotherNamesFileIsNotWrittenOver() throws {
        let source = try CountedSource()
        let other = try source.folder.write("other", "precious", mode: 0o644)
        #expect(link(other, source.part) == 0)
        #expect { try source.makeRun() } throws: { Self.isRefusal($0, "has another name") }
        #expect(try source.contents(other) == Data("precious".utf8))
        #expect(source.folder.mode(of: "other") == 0o644)
    }

    @Test(.enabled(if: geteuid() == 0), arguments: names) func anotherUsersFileIsRefused(name: String) throws {
        let source = try CountedSource()
        let path = try source.folder.write(name, "")
        #expect(chown(path, 1, 1) == 0)
        #expect { try source.makeRun() } throws: { Self.isRefusal($0, "belongs to another user") }
    }

    @Test func nobodyElseMayReadThem() throws {
        let source = try CountedSource()
        _ = try source.folder.write("x.part", "", mode: 0o666)
        try source.begin()
        #expect(source.folder.mode(of: "x.part") == 0o600 && source.folder.mode(of: "x.state") == 0o600)
        #expect(chmod(source.part, 0o644) == 0 && chmod(source.state, 0o644) == 0)
        #expect(try source.end() != nil)
        #expect(source.folder.mode(of: "x") == 0o600 && source.folder.mode(of: "x.manifest.json") == 0o600)
    }
}
