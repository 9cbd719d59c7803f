//! The language server, driven over standard input and output as an editor does.

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long the slowest check of these tests may take on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

const BUG: &str = "\
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int twice(int x)
{
    return x + x;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 100 || n < 0)
        return 0;
    int m = twice(n);
    assert(m != 84);
    return 0;
}
";

struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    next: i64,
    uri: String,
    folder: tempfile::TempDir,
}

impl Client {
    fn start() -> Self {
        // Files are there, and what is kept of checks.
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(env!("CARGO_BIN_EXE_gnomon"))
            .arg("lsp")
            .env("XDG_CACHE_HOME", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("gnomon starts");
        let input = child.stdin.take().expect("its input");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let file = folder.path().canonicalize().expect("a path").join("a b.c");
        let uri = format!("file://{}", file.display()).replace(' ', "%20");
        let mut client = Self { child, input, messages, next: 0, uri, folder };
        let capabilities = json!({ "window": { "workDoneProgress": true } });
        let options = json!({ "time": 100, "memory": 2000 });
        let params = json!({ "capabilities": capabilities, "initializationOptions": options });
        let answer = client.ask("initialize", params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "gnomon");
        client.tell("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        self.raw(&message.to_string());
    }

    fn raw(&mut self, text: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("written");
        self.input.flush().expect("written");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, without waiting.
    fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.until(|message| message["id"] == id && message["method"].is_null())
    }

    /// The next message of that kind; others are passed over.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).expect("an answer in time");
            if wanted(&message) {
                return message;
            }
        }
    }

    fn diagnostics(&mut self, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let is = |message: &Value| message["method"] == "textDocument/publishDiagnostics";
        let of = |message: &Value| message["params"]["diagnostics"].as_array().cloned();
        let message = self.until(|message| {
            is(message) && of(message).is_some_and(|diagnostics| wanted(&diagnostics))
        });
        of(&message).expect("a list")
    }

    fn open(&mut self, text: &str) {
        let uri = self.uri.clone();
        let document = json!({ "uri": uri, "languageId": "c", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, text: &str) {
        let document = json!({ "uri": self.uri, "version": 2 });
        let changes = json!([{ "text": text }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", params);
    }

    fn save(&mut self, text: &str) {
        let params = json!({ "textDocument": { "uri": self.uri }, "text": text });
        self.tell("textDocument/didSave", params);
    }

    fn at(&self, line: u32) -> Value {
        let position = json!({ "line": line, "character": 4 });
        json!({ "textDocument": { "uri": self.uri }, "position": position })
    }

    fn leave(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(output: &mut impl std::io::BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((_, number)) => length = number.parse().expect("a length"),
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}

#[test]
fn a_bug_is_shown_and_goes_when_it_is_mended() {
    let mut client = Client::start();
    client.open(BUG);
    let found = client.diagnostics(|diagnostics| !diagnostics.is_empty());
    client.until(|message| message["params"]["value"]["kind"] == "end");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["message"], "this assertion can fail: assert(m != 84)");
    assert_eq!(found[0]["range"]["start"]["line"], 12);
    let related = found[0]["relatedInformation"].as_array().expect("the counterexample");
    let texts: Vec<&str> = related.iter().filter_map(|r| r["message"].as_str()).collect();
    assert!(texts.contains(&"n = 42 (input)"), "{texts:?}");
    assert_eq!(related[0]["location"]["uri"], client.uri);

    let hover = client.ask("textDocument/hover", client.at(8));
    let text = hover["result"]["contents"]["value"].as_str().expect("a text");
    assert!(text.contains("n = 42 (input)"), "{text}");
    let nothing = client.ask("textDocument/hover", client.at(1));
    assert!(nothing["result"].is_null(), "{nothing}");

    let all =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": { "uri": client.uri }, "range": all });
    let hints = client.ask("textDocument/inlayHint", params);
    let labels: Vec<(u64, &str)> = hints["result"]
        .as_array()
        .expect("hints")
        .iter()
        .map(|h| {
            (h["position"]["line"].as_u64().expect("a line"), h["label"].as_str().expect("text"))
        })
        .collect();
    assert_eq!(labels, [(4, "x = 42"), (8, "n = 42"), (11, "m = 84")]);

    let params = json!({ "textDocument": { "uri": client.uri } });
    let lenses = client.ask("textDocument/codeLens", params.clone());
    let titles: Vec<&str> = lenses["result"]
        .as_array()
        .expect("lenses")
        .iter()
        .map(|l| l["command"]["title"].as_str().expect("a title"))
        .collect();
    assert_eq!(titles, ["check this function", "can fail · check again"]);

    let mended = BUG.replace("84", "85");
    client.change(&mended);
    client.diagnostics(<[Value]>::is_empty);
    client.save(&mended);
    client.until(|message| message["params"]["value"]["kind"] == "end");
    let lenses = client.ask("textDocument/codeLens", params);
    assert_eq!(lenses["result"][1]["command"]["title"], "proved · check again");
    client.leave();
}

#[test]
fn a_function_is_checked_on_request() {
    let mut client = Client::start();
    client.open("int quotient(int a, int b)\n{\n    return a / b;\n}\n");
    client.diagnostics(|_| true);
    let arguments = json!([client.uri, "quotient"]);
    let params = json!({ "command": "gnomon.checkFunction", "arguments": arguments });
    let answer = client.ask("workspace/executeCommand", params);
    assert_eq!(answer["result"]["verdict"], "FALSE", "{answer}");
    let params = json!({ "command": "gnomon.checkFunction", "arguments": ["file:///no", "f"] });
    let answer = client.ask("workspace/executeCommand", params);
    assert!(answer["error"]["message"].is_string(), "{answer}");
    client.leave();
}

#[test]
fn functions_that_were_chosen_are_checked_again_on_save() {
    let mut client = Client::start();
    let text = "int quotient(int a, int b)\n{\n    return a / b;\n}\n";
    client.open(text);
    client.diagnostics(|_| true);
    let params =
        json!({ "command": "gnomon.checkFunction", "arguments": [client.uri, "quotient"] });
    client.ask("workspace/executeCommand", params);
    let mended = text.replace("return", "if (b > 0)\n        return");
    let mended = mended.replace("b;\n}", "b;\n    return 0;\n}");
    client.change(&mended);
    client.diagnostics(<[Value]>::is_empty);
    client.save(&mended);
    for kind in ["begin", "end"] {
        client.until(|message| message["params"]["value"]["kind"] == kind);
    }
    let params = json!({ "textDocument": { "uri": client.uri } });
    let lenses = client.ask("textDocument/codeLens", params);
    assert_eq!(lenses["result"][0]["command"]["title"], "proved · check again");
    client.leave();
}

#[test]
fn what_a_proof_relies_on_is_shown() {
    let mut client = Client::start();
    client.open("#include <assert.h>\nextern int given(int);\nint main(void)\n{\n    int n = given(3);\n    \
         assert(n == n);\n    return 0;\n}\n");
    client.until(|message| message["params"]["value"]["kind"] == "end");
    let params = json!({ "textDocument": { "uri": client.uri } });
    let lenses = client.ask("textDocument/codeLens", params);
    assert_eq!(lenses["result"][0]["command"]["title"], "proved, 1 assumption · check again");
    let hover = client.ask("textDocument/hover", client.at(2));
    let text = hover["result"]["contents"]["value"].as_str().expect("a text");
    assert!(text.contains("assumed") && text.contains("given"), "{text}");
    client.leave();
}

#[test]
fn the_same_check_on_the_command_line() {
    let mut client = Client::start();
    let folder = client.folder.path().canonicalize().expect("a path");
    std::fs::create_dir(folder.join("the headers")).expect("a folder");
    std::fs::write(folder.join("the headers/limit.h"), "#define LIMIT 2\n").expect("written");
    let text = "#include \"limit.h\"\nextern int __VERIFIER_nondet_int(void);\n\
                int main(void)\n{\n    return __VERIFIER_nondet_int() + LIMIT;\n}\n";
    std::fs::write(folder.join("a b.c"), text).expect("written");
    let command = "cc -I'the headers' -c 'a b.c'";
    let entries = json!([{ "directory": folder, "file": "a b.c", "command": command }]);
    std::fs::write(folder.join("compile_commands.json"), entries.to_string()).expect("written");
    let settings = json!({ "time": 20, "checks": ["overflow"] });
    client.tell("workspace/didChangeConfiguration", json!({ "settings": settings }));
    client.open(text);
    client.until(|message| message["params"]["value"]["kind"] == "end");
    let params = json!({ "command": "gnomon.commandLine", "arguments": [client.uri] });
    let answer = client.ask("workspace/executeCommand", params);
    let words = answer["result"].as_array().expect("words").clone();
    let words: Vec<&str> = words.iter().map(|word| word.as_str().expect("a text")).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_gnomon")).args(&words).output().expect("gnomon");
    // Without the check there is no error, and without the directory the file cannot be read.
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "VERDICT: FALSE\n", "{words:?}\n{output:?}");
    client.leave();
}

#[test]
fn errors_in_the_source_are_shown_where_they_are() {
    let mut client = Client::start();
    client.open("int main(void)\n{\n    return 0\n}\n");
    let found = client.diagnostics(|diagnostics| !diagnostics.is_empty());
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["range"]["start"]["line"], 2, "{found:?}");
    client.change("int main(void)\n{\n    return 0;\n}\n");
    client.diagnostics(<[Value]>::is_empty);
    client.leave();
}

/// Takes long: whether a number of 40 bits is a product of two others.
const LONG: &str = "\
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
int main(void)
{
    unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
    if (a < 2 || b < 2 || a >= 1ul << 31 || b >= 1ul << 31)
        return 0;
    if (a * b == 2305843009213693951ul)
        reach_error();
    return 0;
}
";

#[test]
fn a_check_is_cancelled_at_once() {
    let mut client = Client::start();
    client.open(LONG);
    // One begins by itself; the one that is asked for waits behind it.
    client.until(|message| message["params"]["value"]["kind"] == "begin");
    let params = json!({ "command": "gnomon.check", "arguments": [client.uri] });
    let asked = client.begin("workspace/executeCommand", params);
    let token = json!("gnomon-check-2");
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    client.tell("window/workDoneProgress/cancel", json!({ "token": token }));
    client.until(|message| message["params"]["value"]["kind"] == "end");
    let first = begun.elapsed();
    // Now the second one goes on.
    client.until(|message| message["params"]["value"]["kind"] == "begin");
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    client.tell("$/cancelRequest", json!({ "id": asked }));
    let answer = client.until(|message| message["id"] == asked);
    let second = begun.elapsed();
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    println!("cancelled after {first:?} and {second:?}");
    assert!(first.max(second) < Duration::from_millis(200), "{first:?}, {second:?}");
    client.leave();
}

#[test]
fn malformed_messages_do_not_end_it() {
    let mut client = Client::start();
    client.raw("{ this is no JSON");
    assert_eq!(client.until(|message| message["error"].is_object())["error"]["code"], -32700);
    client.raw("[1, 2]");
    assert_eq!(client.until(|message| message["error"].is_object())["error"]["code"], -32600);
    write!(client.input, "Nonsense\r\n\r\n").expect("written");
    assert_eq!(client.until(|message| message["error"].is_object())["error"]["code"], -32700);
    let answer = client.ask("no/such/method", json!({}));
    assert_eq!(answer["error"]["code"], -32601);
    for params in [json!(null), json!([]), json!({ "textDocument": 3 }), json!({ "position": {} })]
    {
        for method in ["textDocument/hover", "textDocument/codeLens", "textDocument/inlayHint"] {
            let answer = client.ask(method, params.clone());
            assert!(answer["error"].is_object(), "{answer}");
        }
        client.tell("textDocument/didChange", params.clone());
        client.tell("$/cancelRequest", params);
    }
    client.leave();
}

#[test]
fn a_long_file_is_answered() {
    let mut text = String::new();
    for number in 0..2000 {
        text += &format!(
            "int f{number}(int x)\n{{\n    if (x < 0) return -1;\n    return x / 2;\n}}\n"
        );
    }
    text +=
        "#include <assert.h>\nint main(void)\n{\n    assert(f1999(8) == 5);\n    return 0;\n}\n";
    assert!(text.lines().count() > 10_000);
    let mut client = Client::start();
    let begun = Instant::now();
    client.open(&text);
    let found = client.diagnostics(|diagnostics| !diagnostics.is_empty());
    assert_eq!(found[0]["message"], "this assertion can fail: assert(f1999(8) == 5)");
    println!("10,000 lines: diagnostics after {:?}", begun.elapsed());
    let params = json!({ "textDocument": { "uri": client.uri } });
    let lenses = client.ask("textDocument/codeLens", params);
    assert_eq!(lenses["result"].as_array().expect("lenses").len(), 2001);
    client.leave();
}

/// The files that are kept of checks.
fn kept(client: &Client) -> Vec<std::path::PathBuf> {
    let entries = |folder: &std::path::Path| {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
    };
    let cache = client.folder.path().join("gnomon/editor");
    let mut all: Vec<_> = entries(&cache).flat_map(|folder| entries(&folder)).collect();
    all.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    all
}

#[test]
fn what_did_not_change_is_not_checked_again() {
    let mut client = Client::start();
    client.open(BUG);
    client.diagnostics(|diagnostics| !diagnostics.is_empty());
    client.until(|message| message["params"]["value"]["kind"] == "end");
    let files = kept(&client);
    let [file] = &files[..] else { panic!("{files:?}") };
    // What is kept is told another way, so it can be seen whether it was looked at.
    let text = std::fs::read_to_string(file).expect("what is kept");
    let other = text.replace("\"42\"", "\"4242\"");
    assert_ne!(text, other);
    std::fs::write(file, other).expect("written");
    let value = |client: &mut Client, text: &str| {
        client.change(text);
        client.save(text);
        client.until(|message| message["params"]["value"]["kind"] == "end");
        let hover = client.ask("textDocument/hover", client.at(8));
        hover["result"]["contents"]["value"].as_str().expect("a text").to_owned()
    };
    // A function behind it, which it does not call.
    let unchanged = value(&mut client, &format!("{BUG}int other(void) {{ return 1; }}\n"));
    assert!(unchanged.contains("n = 4242 (input)"), "{unchanged}");
    assert_eq!(kept(&client).len(), 1);
    // A function that it calls.
    let changed = value(&mut client, &BUG.replace("x + x", "2 * x"));
    assert!(changed.contains("n = 42 (input)"), "{changed}");
    assert_eq!(kept(&client).len(), 2);
    client.leave();
}

#[test]
fn a_counterexample_is_gone_through_step_by_step() {
    let mut client = Client::start();
    client.open(BUG);
    client.diagnostics(|diagnostics| !diagnostics.is_empty());
    client.until(|message| message["params"]["value"]["kind"] == "end");
    let step = |client: &mut Client, by: i64| {
        let arguments = json!([client.uri, by]);
        let params = json!({ "command": "gnomon.step", "arguments": arguments });
        client.ask("workspace/executeCommand", params)["result"].clone()
    };
    let hints = |client: &mut Client| {
        let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
        let params = json!({ "textDocument": { "uri": client.uri }, "range": all });
        let hints = client.ask("textDocument/inlayHint", params);
        let hints = hints["result"].as_array().expect("hints").clone();
        hints.iter().map(|h| h["label"].as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    let first = step(&mut client, 1);
    assert_eq!((&first["step"], &first["range"]["start"]["line"]), (&json!(1), &json!(8)));
    assert_eq!(first["events"], "n = 42 (input)");
    let of = first["of"].as_u64().expect("a number");
    assert!(of > 2, "{first}");
    // Values of later steps are not shown yet.
    assert_eq!(hints(&mut client), [format!("◀ step 1 of {of} n = 42")]);
    let last = step(&mut client, 1_000);
    assert_eq!(last["step"], of);
    assert!(hints(&mut client).iter().any(|hint| hint.contains("m = 84")));
    assert_eq!(step(&mut client, -1)["step"], of - 1);
    // It is left, and all values are shown again.
    assert!(step(&mut client, 0).is_null());
    assert_eq!(hints(&mut client), ["x = 42", "n = 42", "m = 84"]);
    client.leave();
}
