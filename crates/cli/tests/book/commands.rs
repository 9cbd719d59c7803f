//! Commands in blocks of `console` are executed by a shell, page by page, in a copy of `examples`
//! (those of README.md beside it). A line `$ …` is a command, lines `> …` continue it, and the
//! others are what it answers; `[..]` stands for anything in a line, `...` for any lines.
//!
//! Commands that need what a test does not have (a cluster, another package) stand in blocks of
//! `sh`, on pages that the introduction lists. Of them, and of commands in the running text, it is checked that
//! gnomon knows the options.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use snapbox::IntoData;

use crate::pages::{self, Block, Page};

const GNOMON: &str = env!("CARGO_BIN_EXE_gnomon");
const END: &str = "----- end of the command -----";

/// A command, and what it has to answer.
struct Told {
    command: String,
    answer: String,
    /// Where the answer stands in the page.
    range: Range<usize>,
}

#[test]
fn commands_answer_as_written() {
    let overwrite = std::env::var_os("GNOMON_BOOK").is_some_and(|value| value == "overwrite");
    let pages = pages::of_users();
    let mut wrong: Vec<String> = Vec::new();
    std::thread::scope(|scope| {
        let running: Vec<_> =
            pages.iter().map(|page| (page, scope.spawn(|| differences(page)))).collect();
        for (page, differences) in running {
            let differences = differences.join().expect("no panic");
            if overwrite {
                rewrite(page, &differences);
            }
            wrong.extend(differences.into_iter().map(|(told, _, difference)| {
                format!("{}: $ {}\n{difference}", page.name(), told.command)
            }));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_commands_have_options_that_there_are() {
    let mut help = BTreeMap::new();
    let mut wrong = Vec::new();
    for page in pages::of_users() {
        let mut lines = page.code_spans();
        for block in page.blocks() {
            match block.language.as_str() {
                "console" => {}
                "sh" => lines.extend(block.text.lines().map(str::to_owned)),
                _ if block.text.lines().any(is_command) => {
                    wrong.push(format!("{}: not executed:\n{}", page.name(), block.text));
                }
                _ => {}
            }
        }
        for line in lines.iter().filter(|line| line.starts_with("gnomon ")) {
            if let Err(why) = known(line, &mut help) {
                wrong.push(format!("{}: {line}: {why}", page.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_with_commands_that_are_not_executed_are_listed() {
    let pages = pages::of_users();
    let introduction = pages.iter().find(|page| page.path.ends_with("introduction.md"));
    let introduction = introduction.expect("the introduction");
    let (_, list) = introduction.text.split_once("These are all of them:").expect("the list");
    let rows = list.lines().filter_map(|line| line.strip_prefix("| [")?.split_once("]("));
    let listed: BTreeSet<&str> =
        rows.filter_map(|(_, rest)| Some(rest.split_once(')')?.0)).collect();
    let has = |page: &&Page| page.blocks().iter().any(|block| block.language == "sh");
    let with_commands: Vec<String> =
        pages.iter().filter(has).filter(|page| !page.is_readme()).map(Page::name).collect();
    let with_commands: BTreeSet<&str> =
        with_commands.iter().filter_map(|name| name.strip_prefix("docs/")).collect();
    assert_eq!(listed, with_commands);
}

fn is_command(line: &str) -> bool {
    line.starts_with("gnomon ") || line.starts_with("$ ")
}

/// What of a page is not as told: the command, what it answers, and the difference.
fn differences(page: &Page) -> Vec<(Told, String, String)> {
    let told: Vec<Told> = page.blocks().iter().flat_map(commands).collect();
    if told.is_empty() {
        return Vec::new();
    }
    let answers = execute(&told, page.is_readme());
    let different = |(told, answer): (Told, String)| {
        let (actual, expected) = (answer.as_str().into_data(), told.answer.as_str().into_data());
        match snapbox::Assert::new().try_eq(None, actual, expected) {
            Ok(()) => None,
            Err(difference) => Some((told, answer, difference.to_string())),
        }
    };
    told.into_iter().zip(answers).filter_map(different).collect()
}

fn commands(block: &Block) -> Vec<Told> {
    let mut commands: Vec<Told> = Vec::new();
    if block.language != "console" {
        return commands;
    }
    let mut at = block.range.start;
    for line in block.text.split_inclusive('\n') {
        let end = at + line.len();
        if let Some(command) = line.strip_prefix("$ ") {
            let command = command.trim_end().to_owned();
            commands.push(Told { command, answer: String::new(), range: end..end });
        } else {
            let open = commands.last_mut().expect("a block begins with a command");
            match line.strip_prefix("> ") {
                Some(more) if open.answer.is_empty() => {
                    open.command = format!("{}\n{}", open.command, more.trim_end());
                    open.range = end..end;
                }
                _ => {
                    open.answer.push_str(line);
                    open.range.end = end;
                }
            }
        }
        at = end;
    }
    commands
}

/// Executes the commands one after the other in one shell.
fn execute(commands: &[Told], beside_examples: bool) -> Vec<String> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let examples = folder.path().join("examples");
    copy(&pages::root().join("examples"), &examples);
    let mut script = String::from("exec 2>&1\nresult() { return $1; }\nstatus=0\n");
    for told in commands {
        script.push_str(&format!(
            "result $status\n{}\nstatus=$?\nprintf '\\n{END}\\n'\n",
            told.command
        ));
    }
    let mut path = std::ffi::OsString::from(Path::new(GNOMON).parent().expect("a folder"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("timeout")
        .args(["900", "bash", "-c"])
        .arg(script)
        .current_dir(if beside_examples { folder.path() } else { &examples })
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .env("TMPDIR", env!("CARGO_TARGET_TMPDIR"))
        .stdin(std::process::Stdio::null())
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut answers: Vec<String> = text.split(&format!("\n{END}\n")).map(str::to_owned).collect();
    let rest = answers.pop();
    assert_eq!((answers.len(), rest.as_deref()), (commands.len(), Some("")), "{text}");
    // The end of the last line, and an empty answer, are not told apart by the eye.
    for answer in &mut answers {
        if !answer.is_empty() && !answer.ends_with('\n') {
            answer.push('\n');
        }
    }
    answers
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("a folder that can be read") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a file that can be copied");
        }
    }
}

fn rewrite(page: &Page, differences: &[(Told, String, String)]) {
    let mut text = page.text.clone();
    for (told, answer, _) in differences.iter().rev() {
        text.replace_range(told.range.clone(), answer);
    }
    if !differences.is_empty() {
        std::fs::write(&page.path, text).expect("a page that can be written");
    }
}

/// Whether gnomon has this command, with these options.
fn known(line: &str, help: &mut BTreeMap<String, String>) -> Result<(), String> {
    let words: Vec<&str> =
        line.split_whitespace().skip(1).take_while(|word| *word != "--").collect();
    let subcommands =
        || words.iter().copied().take_while(|word| word.chars().all(char::is_alphabetic));
    let depth = if words.first() == Some(&"bp") { 2 } else { 1 };
    let command = subcommands().take(depth).collect::<Vec<_>>().join(" ");
    let options = words.iter().filter(|word| word.starts_with("--"));
    if !help.contains_key(&command) {
        let mut call = Command::new(GNOMON);
        call.args(command.split_whitespace()).arg("--help");
        let output = call.output().expect("gnomon");
        if !output.status.success() {
            return Err(format!("there is no `{command}`"));
        }
        help.insert(command.clone(), String::from_utf8_lossy(&output.stdout).into_owned());
    }
    for option in options {
        let name = option.split('=').next().unwrap_or(option);
        if !help[&command]
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .any(|word| word == name)
        {
            return Err(format!("`{command}` has no {name}"));
        }
    }
    Ok(())
}
