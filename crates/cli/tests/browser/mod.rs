//! Pages in a real browser, driven by scripts.
//!
//! A script that is put into a copy of a page presses keys and clicks as a user does, and leaves what it
//! saw in the title. Without `chromium` the tests say so and do nothing, unless
//! `GNOMON_BROWSER=required`. Pictures are left in `GNOMON_PICTURES`, if that names a directory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What every script can use.
const TOOLS: &str = "
    const id = name => document.getElementById(name);
    const press = key => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const now = () => { const l = document.querySelector('.l.now'); return l ? l.dataset.k : 'none'; };
    const text = what => (document.querySelector(what)?.textContent ?? 'none').trim().replace(/\\s+/g, ' ');
    const texts = what => [...document.querySelectorAll(what)].map(e => e.textContent.trim().replace(/\\s+/g, ' '));
    const inView = (e, box) => { const a = e.getBoundingClientRect(), b = box.getBoundingClientRect(); return a.top >= b.top - 2 && a.bottom <= b.bottom + 2; };
    const shown = () => [...document.querySelectorAll('section.on')].map(s => s.id).join(' ');
";

fn is_required() -> bool {
    std::env::var("GNOMON_BROWSER").is_ok_and(|value| value == "required")
}

/// The browser, if there is one.
pub fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|done| done.status.success())
    });
    if found.is_none() {
        assert!(!is_required(), "no browser is installed, and GNOMON_BROWSER=required");
        eprintln!("skipped: no browser is installed (scripts/setup installs chromium)");
    }
    found
}

/// A directory for what a test writes.
pub fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// The colours that a user of the browser prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    Light,
    Dark,
}

/// How a page is opened.
pub struct Opened<'a> {
    pub browser: &'a str,
    pub page: &'a str,
    /// What stands behind `#` in its address.
    pub link: &'a str,
    pub colours: Colours,
    pub directory: &'a Path,
    /// The name of a picture of it.
    pub picture: &'a str,
}

impl Opened<'_> {
    /// Runs a script in the page, and gives what it left in the title: its value.
    pub fn driven(&self, script: &str) -> String {
        let file = self.directory.join(format!("{}.html", self.picture));
        let script = format!(
            "<script>window.onload = async () => {{ let said; try {{ said = await (async () => {{ {TOOLS} {script} }})(); }} \
             catch (error) {{ said = error.stack; }} document.title = said; }};</script></body>"
        );
        let (before, after) = self.page.rsplit_once("</body>").expect("a page");
        std::fs::write(&file, format!("{before}{script}{after}")).expect("a page");
        let link = if self.link.is_empty() { String::new() } else { format!("#{}", self.link) };
        let address = format!("file://{}{link}", file.display());
        if let Ok(folder) = std::env::var("GNOMON_PICTURES") {
            let file = Path::new(&folder).join(format!("{}.png", self.picture));
            self.run(&address, &format!("--screenshot={}", file.display()));
        }
        let shown = self.run(&address, "--dump-dom");
        let title = shown.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
        let title = title.unwrap_or_else(|| panic!("no title in {shown}"));
        title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }

    fn run(&self, address: &str, what: &str) -> String {
        let mut command = Command::new(self.browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]);
        let profile = self.directory.join(format!("{}-profile", self.picture));
        command.arg(format!("--user-data-dir={}", profile.display()));
        command.args(["--window-size=1400,1000", "--virtual-time-budget=10000"]);
        let scheme = match self.colours {
            Colours::Dark => 0,
            Colours::Light => 1,
        };
        command.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
        let done = command.arg(what).arg(address).output().expect("the browser starts");
        String::from_utf8_lossy(&done.stdout).into_owned()
    }
}

/// The text of axe-core, which looks for what keeps people from using a page. It is fetched by npm once
/// for all tests, and is no part of this repository; without npm there is none, unless it is required.
pub fn axe() -> Option<&'static str> {
    static AXE: OnceLock<Option<String>> = OnceLock::new();
    let fetched = AXE.get_or_init(|| {
        let directory = directory("axe-core");
        let installed = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
            .arg(&directory)
            .arg("axe-core@4")
            .output();
        match installed {
            Ok(done) if done.status.success() => {
                let file = directory.join("node_modules/axe-core/axe.min.js");
                Some(std::fs::read_to_string(file).expect("axe-core"))
            }
            other => {
                assert!(!is_required(), "axe-core is not to be had: {other:?}");
                eprintln!("skipped: npm does not give axe-core");
                None
            }
        }
    });
    fetched.as_deref()
}
