//! Checks the facts of the reference (`contract/vectors`): equal to the published Java classes.

use super::curve;
use super::graph::Graph;
use super::ids::{IdReach, multiget_size};
use super::link_counts::LinkCountDistribution;
use super::literal::put_bytes;
use super::operation::{MIXED, OPERATIONS, OperationMix};
use super::shuffle::Shuffle;
use super::statement;
use super::zipf::Zipf;
use serde_json::Value;
use std::path::Path;

/// Where LinkBench's own file of distributions is, which is not part of the reference.
const DATA_FILE: &str = "DBDYNO_LINKBENCH_DATA_FILE";

/// Reads a file of the reference.
fn vectors(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../contract/vectors")
        .join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

fn list<'a>(facts: &'a Value, name: &str) -> &'a [Value] {
    let list = facts[name].as_array();
    list.filter(|list| !list.is_empty())
        .unwrap_or_else(|| panic!("no {name} in the vectors"))
}

fn whole(fact: &Value) -> u64 {
    fact.as_u64().unwrap()
}

fn wholes(fact: &Value) -> Vec<u64> {
    fact.as_array().unwrap().iter().map(whole).collect()
}

#[test]
fn operations_are_drawn_at_the_published_thresholds() {
    let facts = vectors("linkbench.json");
    for (place, fact) in list(&facts, "operation_thresholds").iter().enumerate() {
        let end = fact["cumulative"].as_f64().unwrap() / 100.0;
        assert_eq!(
            OperationMix::PUBLISHED.choose(end - 1e-9),
            OPERATIONS[place],
            "{fact}"
        );
        let above = OPERATIONS[(place + 1).min(MIXED - 1)];
        assert_eq!(OperationMix::PUBLISHED.choose(end + 1e-9), above, "{fact}");
    }
}

#[test]
fn ids_are_shuffled_as_the_tool_shuffles_them() {
    let facts = vectors("linkbench.json");
    for fact in list(&facts, "shuffler") {
        let seed = fact["seed"].as_str().unwrap().parse().unwrap();
        let shuffle = Shuffle::new(seed, whole(&fact["n"]));
        for pair in list(fact, "pairs") {
            let (index, place) = (whole(&pair[0]), whole(&pair[1]));
            assert_eq!(shuffle.place(index), place, "{fact}");
            assert_eq!(shuffle.inverse(place), index, "{fact}");
        }
    }
}

#[test]
fn the_quantiles_of_the_zipf_laws_are_the_tools() {
    let facts = vectors("linkbench.json");
    for fact in list(&facts, "zipf_quantile") {
        let zipf = Zipf::new(whole(&fact["n"]), fact["shape"].as_f64().unwrap());
        for (draw, rank) in list(fact, "p").iter().zip(wholes(&fact["rank"])) {
            assert_eq!(
                zipf.place(draw.as_f64().unwrap()) + 1,
                rank,
                "{fact} {draw}"
            );
        }
    }
}

#[test]
fn requests_for_several_links_ask_for_as_many_as_the_tools() {
    let facts = vectors("linkbench.json");
    let geometric = &facts["multiget_geometric"];
    for (draw, size) in list(geometric, "p").iter().zip(list(geometric, "value")) {
        assert_eq!(
            multiget_size(draw.as_f64().unwrap(), false),
            whole(size),
            "{draw}"
        );
    }
}

#[test]
fn second_ids_reach_as_far_as_the_tools() {
    let facts = vectors("linkbench.json");
    for fact in list(&facts, "id2_range") {
        let reach = match fact["p_existing"].as_f64().unwrap() {
            0.05 => IdReach::ADD,
            0.5 => IdReach::GET,
            _ => IdReach::UPDATE,
        };
        assert_eq!(
            reach.range(whole(&fact["intended_links"])),
            whole(&fact["range"]),
            "{fact}"
        );
    }
}

#[test]
fn links_are_shared_out_among_the_types_as_the_tool_does() {
    let facts = vectors("linkbench.json");
    for fact in list(&facts, "links_per_type_rule") {
        for (types, name) in [(2, "per_type_of_2"), (3, "per_type_of_3")] {
            let graph = Graph::new(1, 10, types, curve::law(), false);
            let intended = whole(&fact["intended"]);
            let shares: Vec<u64> = (0..types)
                .map(|number| graph.of_type(intended, number))
                .collect();
            assert_eq!(shares, wholes(&fact[name]), "{fact}");
        }
    }
}

/// Links of each type that the graph is loaded with.
fn loaded(graph: &Graph) -> Vec<u64> {
    let ids = || graph.start()..graph.start() + graph.count();
    let of_type = |number| ids().map(|id1| graph.links(id1, number)).sum();
    (0..graph.types()).map(of_type).collect()
}

#[test]
#[ignore = "needs LinkBench's Distribution.dat, named by DBDYNO_LINKBENCH_DATA_FILE"]
fn with_the_tools_file_every_graph_has_the_tools_links() {
    let path = std::env::var_os(DATA_FILE).expect(DATA_FILE);
    let law = LinkCountDistribution::read(path.to_str().unwrap()).unwrap();
    let facts = vectors("linkbench.json");
    for fact in list(&facts, "loaded_links") {
        let graph = Graph::new(1, whole(&fact["id1_count"]), 2, law.clone(), false);
        let first: Vec<u64> = (1..=12).map(|id1| graph.intended(id1)).collect();
        assert_eq!(first, wholes(&fact["intended_links_first_12_ids"]));
        assert_eq!(loaded(&graph), wholes(&fact["loaded_links_per_type"]));
        assert_eq!(graph.links_total(), whole(&fact["loaded_links"]));
        assert_eq!(graph.linked_pairs(), whole(&fact["counttable_rows"]));
    }
}

#[test]
fn without_it_they_have_as_many_within_a_thousandth() {
    let facts = vectors("linkbench.json");
    for fact in list(&facts, "loaded_links") {
        let graph = Graph::new(1, whole(&fact["id1_count"]), 2, curve::law(), false);
        let (links, expected) = (
            graph.links_total() as f64,
            whole(&fact["loaded_links"]) as f64,
        );
        assert!((links / expected - 1.0).abs() < 0.001, "{links} {fact}");
        assert_eq!(graph.linked_pairs(), whole(&fact["counttable_rows"]));
    }
}

#[test]
fn values_are_written_as_the_tools_driver_writes_them() {
    let facts = vectors("linkbench.json");
    let written = |value: &[u8]| {
        let mut out = Vec::new();
        put_bytes(&mut out, value);
        String::from_utf8(out).unwrap()
    };
    let bytes = |hex: &str| -> Vec<u8> {
        let digits = hex
            .as_bytes()
            .chunks(2)
            .map(|two| std::str::from_utf8(two).unwrap());
        digits
            .map(|two| u8::from_str_radix(two, 16).unwrap())
            .collect()
    };
    for fact in list(&facts, "literal") {
        let value = bytes(fact["bytes_hex"].as_str().unwrap());
        assert_eq!(written(&value), fact["sent_as"].as_str().unwrap());
    }
    let plain: Vec<u8> = list(&facts, "literal_text_bytes_hex")
        .iter()
        .flat_map(|hex| bytes(hex.as_str().unwrap()))
        .collect();
    for byte in 0..=255_u8 {
        assert_eq!(
            written(&[byte]).starts_with('\''),
            plain.contains(&byte),
            "{byte:02x}"
        );
    }
}

/// Rewrites a recorded template in our form: names as they are by default, `?` for what varies.
fn our_form(template: &str) -> String {
    let mut text = template.replace(",..)", ")");
    for (name, value) in [
        ("db", "linkdb"),
        ("linktable", "linktable"),
        ("counttable", "counttable"),
        ("nodetable", "nodetable"),
    ] {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    while let (Some(open), Some(close)) = (text.find('{'), text.find('}')) {
        text.replace_range(open..=close, "?");
    }
    text
}

#[test]
fn statements_are_those_that_were_recorded_from_the_tool() {
    let facts = vectors("recorded_linkbench.json");
    let ours: Vec<String> = statement::templates("linkdb")
        .iter()
        .map(|template| {
            template
                .text
                .replace("limit 0,?", "limit ?,10000")
                .replace("limit 1,?", "limit ?,10000")
        })
        .collect();
    let operations = list(&facts["request_phase"], "operations").iter();
    let recorded: Vec<String> = operations
        // An operation with the steps of another one names it in their place.
        .flat_map(|operation| operation["steps"].as_array().into_iter().flatten())
        .map(|step| our_form(step["template"].as_str().unwrap()))
        .collect();
    for template in &recorded {
        assert!(ours.contains(template), "{template}");
    }
    for template in &ours {
        assert!(recorded.contains(template), "{template}");
    }
}
