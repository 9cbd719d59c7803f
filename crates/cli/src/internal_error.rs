//! What happens when there is a bug in `gnomon`: a report in a file, and a short message.

use std::backtrace::Backtrace;
use std::panic::PanicHookInfo;

use crate::output;

/// Replaces the hook that prints backtraces.
pub fn install() {
    std::panic::set_hook(Box::new(|info| {
        let report = report(info);
        let path = std::env::temp_dir().join(format!("gnomon-error-{}.txt", std::process::id()));
        let cause = cause(info);
        let advice = match std::fs::write(&path, &report) {
            Ok(()) => format!(
                "A report was written to {}. Please open an issue with it, and with the input if \
                 you can share it.",
                path.display()
            ),
            Err(error) => format!("No report could be written ({error}); it follows.\n{report}"),
        };
        output::message(&format!(
            "internal error: {cause}\nThis is a bug in gnomon, not in your program. No verdict \
             was reached.\n{advice}"
        ));
    }));
}

fn cause(info: &PanicHookInfo<'_>) -> String {
    info.payload_as_str().unwrap_or("unknown cause").lines().next().unwrap_or_default().to_owned()
}

fn report(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().map_or("an unknown place".into(), ToString::to_string);
    let command: Vec<String> =
        std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    format!(
        "gnomon {}\ncommand: {}\ncause: {}\nat: {place}\n\n{}\n",
        env!("CARGO_PKG_VERSION"),
        command.join(" "),
        info.payload_as_str().unwrap_or("unknown cause"),
        Backtrace::force_capture()
    )
}
