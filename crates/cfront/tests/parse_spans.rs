//! Every node has its exact span: first to last token, no blanks, children inside parents.

use gnomon_cfront::ast::{Ast, DeclKind, ExprId, ExprKind, Init, StmtId, StmtKind};
use gnomon_cfront::parser::{ParseOptions, ParseResult, parse};
use gnomon_cfront::source::SourceBuffer;

fn parse_text(text: &str) -> (SourceBuffer, ParseResult) {
    let source = SourceBuffer::new("t.c", text.as_bytes().to_vec()).unwrap();
    let parsed = parse(&source, &ParseOptions::default());
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    (source, parsed)
}

/// The initialiser of the last declaration.
fn last_init(ast: &Ast) -> ExprId {
    let DeclKind::Declaration { declarators, .. } = ast[*ast.items.last().unwrap()].kind else {
        panic!("not a declaration");
    };
    match ast[declarators].last().unwrap().init {
        Some(Init::Expr(expr)) => expr,
        other => panic!("{other:?}"),
    }
}

/// The text of an expression and of its direct operands.
fn with_operands(source: &SourceBuffer, ast: &Ast, id: ExprId) -> Vec<String> {
    let operands = match ast[id].kind {
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::Assign { lhs, rhs, .. } => vec![lhs, rhs],
        ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => vec![operand],
        ExprKind::Conditional { cond, then, els } => {
            std::iter::once(cond).chain(then).chain([els]).collect()
        }
        ExprKind::Call { callee, args } => {
            std::iter::once(callee).chain(ast[args].iter().copied()).collect()
        }
        ExprKind::Index { base, index } => vec![base, index],
        ExprKind::Member { base, .. } | ExprKind::Arrow { base, .. } => vec![base],
        _ => vec![],
    };
    std::iter::once(id).chain(operands).map(|e| source.snippet(ast[e].span).into_owned()).collect()
}

fn check_init(init: &str, expected: &[&str]) {
    let (source, parsed) = parse_text(&format!("int a, b; int x =  {init}  ;"));
    assert_eq!(with_operands(&source, &parsed.ast, last_init(&parsed.ast)), expected, "{init}");
}

#[test]
fn expressions_end_with_their_last_token() {
    check_init("a  +  b", &["a  +  b", "a", "b"]);
    check_init("( a )  *  ( b + 1 )", &["( a )  *  ( b + 1 )", "a", "b + 1"]);
    check_init("( a + b )", &["a + b", "a", "b"]);
    check_init("-  ( a )", &["-  ( a )", "a"]);
    check_init("a  ++", &["a  ++", "a"]);
    check_init("( int ) ( a )", &["( int ) ( a )", "a"]);
    check_init("( a ) ( b , 1 )", &["( a ) ( b , 1 )", "a", "b", "1"]);
    check_init("a  [ b ]", &["a  [ b ]", "a", "b"]);
    check_init("( a ) -> b", &["( a ) -> b", "a"]);
    check_init("a ? b : 1", &["a ? b : 1", "a", "b", "1"]);
    check_init("a ?: b", &["a ?: b", "a", "b"]);
    check_init("\"x\"  \"y\"", &["\"x\"  \"y\""]);
    check_init("sizeof ( int )", &["sizeof ( int )"]);
    check_init("__extension__ a", &["a"]);
}

/// The texts of the statements of the only function's body.
fn body_statements(text: &str) -> Vec<String> {
    let (source, parsed) = parse_text(&format!("void f(int a) {{  {text}  }}"));
    let (_, function) = parsed.ast.functions().last().unwrap();
    let StmtKind::Compound(items) = parsed.ast[function.body].kind else { panic!("no block") };
    let show = |&id: &StmtId| source.snippet(parsed.ast[id].span).into_owned();
    parsed.ast[items].iter().map(show).collect()
}

#[test]
fn statements_include_their_semicolon() {
    assert_eq!(body_statements("a = 1 ;  ;  return ;"), ["a = 1 ;", ";", "return ;"]);
    assert_eq!(
        body_statements("if (a) ; else { }  l :  break ;"),
        ["if (a) ; else { }", "l :", "break ;"]
    );
    assert_eq!(
        body_statements("int x = 1 , y ;  do ; while ( a ) ;"),
        ["int x = 1 , y ;", "do ; while ( a ) ;"]
    );
    assert_eq!(
        body_statements("asm ( \"\" ) ;  case 1 :  goto l ;"),
        ["asm ( \"\" ) ;", "case 1 :", "goto l ;"]
    );
}

#[test]
fn declarations_and_their_parts() {
    let (source, parsed) = parse_text(
        "  static const struct s { int m : 3 ; }  * p [ 2 ] __attribute__ (( unused ))  = { 0 } ;  ",
    );
    let ast = &parsed.ast;
    let item = &ast[ast.items[0]];
    let text = |span| source.snippet(span).into_owned();
    assert!(text(item.span).starts_with("static") && text(item.span).ends_with("} ;"));
    let DeclKind::Declaration { specs, declarators } = item.kind else { panic!("{item:?}") };
    assert_eq!(text(ast[specs].span), "static const struct s { int m : 3 ; }");
    let declared = ast[declarators][0];
    let declarator = ast[declared.declarator];
    assert_eq!(text(declarator.span), "* p [ 2 ]");
    assert_eq!(text(declarator.name_span), "p");
    let parts: Vec<String> = ast[declarator.parts].iter().map(|p| text(p.span)).collect();
    assert_eq!(parts, ["[ 2 ]", "*"]);
    assert_eq!(text(declared.span), "* p [ 2 ] __attribute__ (( unused ))  = { 0 }");
    assert_eq!(text(ast[declarator.attributes][0].span), "unused");
    let Some(Init::List(list)) = declared.init else { panic!("{declared:?}") };
    assert_eq!(text(ast[list].span), "{ 0 }");
}
