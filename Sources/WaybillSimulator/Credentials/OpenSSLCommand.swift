import Glibc

/// The `openssl` program, run as a child process.
///
/// The TLS module wraps what a running service needs; making certificates is a matter of development and stays with the
/// tool made for it.
enum OpenSSLCommand {
    /// Runs `openssl` with these arguments and waits for it.
    ///
    /// Its own output goes nowhere.
    static func run(_ arguments: [String]) throws(SimulatorError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var argv = (["openssl"] + arguments).map { strdup($0) } + [nil]
        defer { for argument in argv { free(argument) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, "openssl", &actions, nil, &argv, environ)
        guard result == 0 else { throw .system("starting openssl", code: result) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw .system("waiting for openssl") }
        }
        guard status == 0 else {
            throw SimulatorError("openssl \(arguments.first ?? "") failed; run it by hand to see why: \(arguments)")
        }
    }
}
