//! Messages in and out: `Content-Length`, an empty line, JSON.
//!
//! Unlike the reader of `lsp-server`, which ends with the first message that it cannot read, this one
//! answers it with an error and goes on with the next one.

use std::io::{BufRead, Read as _, Write};

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// Longer messages are passed over.
const MOST_BYTES: usize = 256 << 20;

/// What was read.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Message),
    /// Something else, and what is answered.
    Malformed(Value),
}

/// The next message; `None` at the end of the input.
pub fn read(input: &mut impl BufRead) -> Option<Incoming> {
    let mut length = None;
    let mut has_header = false;
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            // Empty lines before a header are passed over.
            if has_header {
                break;
            }
            continue;
        }
        has_header = true;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let Some(length) = length else {
        return Some(malformed(ErrorCode::ParseError, "a header without a length"));
    };
    if length > MOST_BYTES {
        let mut rest = input.take(length as u64);
        std::io::copy(&mut rest, &mut std::io::sink()).ok()?;
        return Some(malformed(ErrorCode::ParseError, "the message is too long"));
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    Some(match serde_json::from_slice::<Value>(&body) {
        Err(error) => malformed(ErrorCode::ParseError, &error.to_string()),
        Ok(value) => match serde_json::from_value::<Message>(value) {
            Ok(message) => Incoming::Message(message),
            Err(_) => malformed(ErrorCode::InvalidRequest, "this is no message of JSON-RPC"),
        },
    })
}

fn malformed(code: ErrorCode, text: &str) -> Incoming {
    let error = json!({ "code": code as i32, "message": text });
    Incoming::Malformed(json!({ "jsonrpc": "2.0", "id": null, "error": error }))
}

/// Writes a message.
pub fn write(output: &mut impl Write, message: &Message) -> std::io::Result<()> {
    let mut value = serde_json::to_value(message)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("jsonrpc".to_owned(), "2.0".into());
    }
    write_value(output, &value)
}

/// Writes what is a message as JSON.
pub fn write_value(output: &mut impl Write, value: &Value) -> std::io::Result<()> {
    let text = value.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn what_is_malformed_is_passed_over() {
        let good = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let texts =
            [framed("{ no JSON"), "Nonsense\r\n\r\n".to_owned(), framed("[1]"), framed(good)];
        let all = texts.concat();
        let mut input = all.as_bytes();
        for _ in 0..3 {
            assert!(matches!(read(&mut input), Some(Incoming::Malformed(_))));
        }
        let Some(Incoming::Message(Message::Notification(last))) = read(&mut input) else {
            panic!()
        };
        assert_eq!(last.method, "exit");
        assert!(read(&mut input).is_none());
    }

    #[test]
    fn messages_can_be_read_back() {
        let sent =
            Message::Notification(lsp_server::Notification::new("a".into(), json!({"x": 1})));
        let mut bytes = Vec::new();
        write(&mut bytes, &sent).expect("written");
        let Some(Incoming::Message(Message::Notification(got))) = read(&mut &bytes[..]) else {
            panic!()
        };
        assert_eq!(got.params["x"], 1);
    }
}
