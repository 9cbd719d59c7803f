//! Control flow automata, laid out: positions and curves as numbers, of which the page makes pictures.
//!
//! Pictures would be ten times larger than the numbers, and would not follow the colours of the page.

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use gnomon_ir::c_text::{CText, Fidelity, UniqueNames};
use gnomon_ir::cfa::Cfa;
use gnomon_ir::program::{FuncId, Program, source_name};
use layout::core::base::Orientation;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::Point;
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Arrow, Element, ShapeKind};
use layout::topo::layout::VisualGraph;

/// Larger functions are not drawn: nobody reads such pictures, and laying them out takes long.
const MAX_DRAWN: usize = 80;
/// So many functions are drawn.
const MAX_FUNCTIONS: usize = 60;
/// Longer labels of edges are cut.
const LABEL: usize = 40;
/// The size of a location.
const NODE: (f64, f64) = (84.0, 28.0);
/// What is left free around the picture.
const MARGIN: f64 = 10.0;

/// The automaton of a function, laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Width and height.
    pub size: (i32, i32),
    /// The file of the function.
    pub file: String,
    /// The locations.
    pub boxes: Vec<GraphBox>,
    /// The middle of each label, and the label.
    pub labels: Vec<(i32, i32, String)>,
    /// The edges.
    pub arrows: Vec<GraphArrow>,
}

/// A location of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphBox {
    /// The corner at the upper left.
    pub at: (i32, i32),
    /// Width and height.
    pub size: (i32, i32),
    /// The line; 0 if it has none, -1 at the end of the function.
    pub line: i64,
}

/// A curve: a point, then the points of a first cubic curve and of smooth ones behind it, as in SVG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphArrow {
    /// The numbers of the points.
    pub points: Vec<i32>,
    /// Whether it has a head at its end.
    pub head: bool,
    /// Whether it has one at its beginning.
    pub tail: bool,
}

/// The automata of functions, those that are wanted first before others, as far as the budget allows.
pub fn graphs(program: &Program, first: &[&str], budget: &Budget) -> BTreeMap<String, Graph> {
    let is_drawn = |func: FuncId| {
        let function = &program.funcs[func];
        let in_system =
            !function.span.is_none() && program.files.name(function.span.file).starts_with("/usr/");
        // What a reduction made up is none of the user's.
        let name = source_name(&function.name);
        let is_made_up = name.is_empty() || name.starts_with("__gnomon_");
        let size = function.body.as_ref().map_or(usize::MAX, |body| body.loc_count());
        !in_system && !is_made_up && size <= MAX_DRAWN
    };
    let name_of = |func: FuncId| source_name(&program.funcs[func].name);
    let mut wanted: Vec<FuncId> = program.funcs.ids().filter(|func| is_drawn(*func)).collect();
    wanted.sort_by_key(|func| !first.contains(&name_of(*func)));
    let mut drawn = BTreeMap::new();
    for func in wanted.into_iter().take(MAX_FUNCTIONS) {
        if budget.check_now().is_err() {
            break;
        }
        if let Some(body) = &program.funcs[func].body {
            drawn.entry(name_of(func).to_owned()).or_insert_with(|| graph(program, func, body));
        }
    }
    drawn
}

fn graph(program: &Program, func: FuncId, body: &Cfa) -> Graph {
    let names = UniqueNames(program);
    let text = CText::new(program, &names, Fidelity::Readable);
    let mut picture = VisualGraph::new(Orientation::TopToBottom);
    let mut nodes = BTreeMap::new();
    for loc in body.locs() {
        let line = body.out_edges(loc).iter().map(|edge| body.edge(*edge).span.line).min();
        let line = if loc == body.exit() { -1 } else { line.map_or(0, i64::from) };
        let (style, size) = (StyleAttr::simple(), Point::new(NODE.0, NODE.1));
        let shape = ShapeKind::new_box("");
        let orientation = Orientation::TopToBottom;
        let element =
            Element::create_with_properties(shape, style, orientation, size, line.to_string());
        nodes.insert(loc, picture.add_node(element));
    }
    for edge in body.edges().iter() {
        let label: String = text.op(&edge.op).chars().take(LABEL).collect();
        let label = label.replace('\n', " ");
        picture.add_edge(Arrow::simple(&label), nodes[&edge.from], nodes[&edge.to]);
    }
    let span = program.funcs[func].span;
    let file = if span.is_none() { "" } else { program.files.name(span.file) };
    let mut drawing = Drawing(Graph {
        size: (0, 0),
        file: file.to_owned(),
        boxes: Vec::new(),
        labels: Vec::new(),
        arrows: Vec::new(),
    });
    picture.do_it(false, false, false, &mut drawing);
    drawing.0
}

/// Takes down what is drawn.
struct Drawing(Graph);

impl Drawing {
    /// The whole numbers of a point, which then lies in the picture.
    fn point(&mut self, point: Point) -> (i32, i32) {
        let size = &mut self.0.size;
        *size = (
            size.0.max((point.x + MARGIN).ceil() as i32),
            size.1.max((point.y + MARGIN).ceil() as i32),
        );
        (point.x.round() as i32, point.y.round() as i32)
    }
}

impl RenderBackend for Drawing {
    fn draw_rect(
        &mut self,
        xy: Point,
        size: Point,
        _: &StyleAttr,
        properties: Option<String>,
        _: Option<ClipHandle>,
    ) {
        let at = self.point(xy);
        let to = self.point(xy.add(size));
        let line = properties.and_then(|line| line.parse().ok()).unwrap_or_default();
        self.0.boxes.push(GraphBox { at, size: (to.0 - at.0, to.1 - at.1), line });
    }

    fn draw_text(&mut self, xy: Point, text: &str, _: &StyleAttr) {
        if !text.is_empty() {
            let (x, y) = self.point(xy);
            self.0.labels.push((x, y, text.to_owned()));
        }
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        _: bool,
        head: (bool, bool),
        _: &StyleAttr,
        _: Option<String>,
        text: &str,
    ) {
        let mut points = Vec::with_capacity(4 * path.len());
        for &(first, second) in path {
            let ((x, y), (to_x, to_y)) = (self.point(first), self.point(second));
            points.extend([x, y, to_x, to_y]);
        }
        if !text.is_empty()
            && let Some(&(middle, _)) = path.get(path.len() / 2)
        {
            let (x, y) = self.point(middle);
            self.0.labels.push((x, y, text.to_owned()));
        }
        self.0.arrows.push(GraphArrow { points, head: head.1, tail: head.0 });
    }

    /// Automata have no circles, lines and clipped parts.
    fn draw_circle(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_line(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}
