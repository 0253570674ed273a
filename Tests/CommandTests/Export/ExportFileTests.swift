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

    /// Whoever looks at the file in a terminal sees what is there; whoever reads it as JSON has what the log has.
    @Test func whatATerminalActsOnIsEscapedInTheFile() throws {
        let folder = try TemporaryFolder()
        var run = try ExportRun(
            format: .ndjson,
            path: "\(folder.path)/x",
            resumes: false,
            limits: ExportLimits()
        ) { _ in
            ExportSource(header: "", filters: "f") { _ in (["{\"note\":\"\u{9b}31m\u{202e}\"}\n"], nil) }
        }
        #expect(try run.run { _ in true }?.records == 1)
        let text = try String(contentsOfFile: "\(folder.path)/x", encoding: .utf8)
        #expect(text == #"{"note":"\u009b31m\u202e"}"# + "\n")
    }

    /// Whoever exports knows the file by its own name.
    @Test func whatCannotBeWrittenIsCalledByItsName() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/none/x"
        let error = #expect(throws: CommandFailure.self) {
            try ExportRun(format: .ndjson, path: path, resumes: false, limits: ExportLimits()) { _ in
                ExportSource(header: "", filters: "f") { _ in ([], nil) }
            }
        }
        #expect(error?.text == "cannot write \(path): there is no such folder")
    }

    /// The name of the file while it grows stands behind that by which it is asked for.
    @Test func aFileThatCannotGetItsNameIsToldWithBoth() throws {
        let source = try CountedSource()
        var run = try source.makeRun(resumes: false)
        let error = #expect(throws: CommandFailure.self) {
            try run.run { _ in
                // A folder of this name, with something in it, has come meanwhile.
                mkdir(source.path, 0o700)
                mkdir(source.path + "/y", 0o700)
                return true
            }
        }
        #expect(error?.text.hasPrefix("cannot write \(source.path): ") == true)
        #expect(
            error?.text.contains("what there is of it is \(source.part), and the same with --resume goes on") == true
        )
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
