//! Pictures of two schedules with different outcomes.

use earth::explore::{Bound, Verdict};
use earth::{Config, Eu, Machine, Reply, Then, threaded};
use earth_trace::write_difference;

/// Lists numbers in the order in which they come.
struct Lists {
    list: Vec<u64>,
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Lists {
    fn start(out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        for number in 1..=2 {
            eu.token(Number::call(number, eu.reply(Self::hear().number)));
        }
        Lists { list: Vec::new(), out }
    }

    #[slot(again)]
    fn hear(&mut self, number: u64, eu: &mut Eu<Self>) -> Then {
        self.list.push(number);
        if self.list.len() < 2 {
            return Then::Wait;
        }
        eu.put(self.out, std::mem::take(&mut self.list));
        Then::End
    }
}

struct Number;

#[threaded]
impl Number {
    fn start(number: u64, to: Reply<u64>, eu: &mut Eu<Self>) {
        eu.put(to, number);
    }
}

#[test]
fn a_picture_of_two_schedules_has_a_mark_for_each_step() {
    for config in [Config::Spn, Config::Dual] {
        let explored = Machine::threads(2).config(config).explore(Bound::default()).run(Lists::call);
        let Verdict::Differs(found) = explored.expect("it runs").verdict else { panic!("the order matters") };
        let mut picture = Vec::new();
        write_difference(&found, &mut picture).expect("memory takes it");
        let picture = String::from_utf8(picture).expect("a picture is text");
        let tree = roxmltree::Document::parse(&picture).expect("a picture is XML");
        let marks = tree.descendants().filter(|node| node.has_tag_name("circle"));
        assert_eq!(marks.count(), found.first.steps.len() + found.second.steps.len());
        let texts: Vec<_> = tree.descendants().filter_map(|node| node.text()).collect();
        for text in ["gives [1, 2]", "gives [2, 1]"] {
            assert!(texts.contains(&text), "{texts:?}");
        }
        assert!(texts.iter().any(|text| text.starts_with("runs Lists::hear")), "{texts:?}");
        let red = picture.matches("font-weight:600").count();
        assert!([2, 4].contains(&red), "one or two steps of each schedule are marked");
        if let Ok(path) = std::env::var("EARTH_PICTURE") {
            std::fs::write(path, &picture).expect("the picture is kept");
        }
    }
}
