//! The program `pensive`; everything is in the library, so that tests can start it too.

use std::process::ExitCode;

fn main() -> ExitCode {
    pensive_daemon::main()
}
