//! Tests of invalid lines: each is reported with its line number and the reason, and is skipped.

use super::{fields, preset, read, read_in, read_with};
use crate::formats::lists::{ListOptions, ListPreset};

/// Reads each line of `cases` between the valid lines `before` and `after`, and checks the message for that line.
fn check(cases: &[(&str, &str)], (before, after): (&str, &str), unit: &str, options: &ListOptions) {
    let expected = read_in(format!("{before}{after}").as_bytes(), options, 99).unwrap().summary();
    for (line, reason) in cases {
        let list = read_in(format!("{before}{line}{after}").as_bytes(), options, 5).unwrap();
        assert_eq!(list.messages, [format!("{unit}: {reason}")], "{line}");
        assert_eq!(list.summary(), expected, "{line}");
    }
}

const NOT_WHOLE: &str = "not a whole number";

#[test]
fn broken_objects() {
    let cases = [
        ("{", "byte 1: the object does not end on this line"),
        ("{}", "no path"),
        ("{}}", "byte 2: trailing data"),
        ("[]", "byte 0: expected '{'"),
        ("x", "byte 0: expected '{'"),
        ("null", "byte 0: expected '{'"),
        ("\u{0}", "byte 0: expected '{'"),
        ("{\"path\"", "byte 7: the object does not end on this line"),
        ("{\"path\":", "byte 8: the object does not end on this line"),
        ("{\"path\":\"a", "byte 10: the object does not end on this line"),
        ("{\"path\":\"a\"", "byte 11: the object does not end on this line"),
        ("{\"path\":\"a\"]", "byte 11: expected ',' or '}'"),
        ("{\"path\":\"a\",}", "byte 12: expected '\"'"),
        ("{\"path\":\"a\"} {\"path\":\"b\"}", "byte 13: trailing data"),
        ("{path:\"a\"}", "byte 1: expected '\"'"),
        ("{'path':'a'}", "byte 1: expected '\"'"),
        ("{\"path\":a}", "byte 8: expected a value"),
        ("{\"path\":\"a\\x\"}", "byte 10: unknown escape sequence"),
        ("{\"path\":\"\\ud800\"}", "byte 9: unpaired surrogate"),
        ("{\"path\":\"a\tb\"}", "byte 10: control character in a string"),
        ("{\"path\":\"a\\u0000b\"}", "path: contains a NUL byte"),
        ("{\"path\":\"\"}", "no path"),
        ("{\"path\":null}", "no path"),
        ("{\"path\":{}}", "no path"),
        ("{\"path\":[\"a\"]}", "no path"),
        ("{\"size\":1}", "no path"),
        ("{\"root\":\"/r\"}", "has a root, but no path"),
        ("{\"path\":\"/a\",\"root\":\"/b\"}", "the path is not below the root in this line"),
        ("{\"path\":\"/ab\",\"root\":\"/a\"}", "the path is not below the root in this line"),
        ("{\"path\":\"a/../b\"}", "'..' is allowed only at the start of a relative path"),
        ("{\"path\":\"/..\"}", "'..' is allowed only at the start of a relative path"),
        ("{\"path\":\"a\",\"size\":-2}", "size: not a whole number"),
        ("{\"path\":\"a\",\"size\":1.5}", "size: not a whole number"),
        ("{\"path\":\"a\",\"size\":1e3}", "size: not a whole number"),
        ("{\"path\":\"a\",\"size\":true}", "size: not a whole number"),
        ("{\"path\":\"a\",\"size\":\"big\"}", "size: not a whole number"),
        ("{\"path\":\"a\",\"size\":18446744073709551616}", "size: number does not fit into 64 bits"),
        ("{\"path\":\"a\",\"size_gb\":18446744073709551615}", "size: more than 2^64-1 bytes"),
        ("{\"path\":\"a\",\"disk\":\"1k\"}", "disk: not a whole number"),
        (
            "{\"path\":\"a\",\"mtime\":\"noon\"}",
            "mtime: neither seconds since 1970 nor a date such as 2026-11-21T08:15:00Z",
        ),
        ("{\"path\":\"a\",\"mtime\":9223372036854775808}", "mtime: time out of range"),
        ("{\"path\":\"a\",\"uid\":4294967296}", "uid: number does not fit into 32 bits"),
        ("{\"path\":\"a\",\"gid\":-1}", "gid: not a whole number"),
        ("{\"path\":\"a\",\"mode\":\"rwx\"}", "mode: not a whole number"),
        ("{\"path\":\"a\",\"inode\":\"#1\"}", "inode: not a whole number"),
        ("{\"path\":\"a\",\"device\":\"sda\"}", "device: not a whole number"),
        ("{\"path\":\"a\",\"links\":0.5}", "links: not a whole number"),
        ("{\"path\":\"a\",\"type\":\"hat\"}", "type: unknown kind of entry"),
        ("{\"path\":\"a\",\"isdir\":\"maybe\"}", "is_dir: neither true nor false"),
        ("{\"path\":\"a\",\"excluded\":\"why\"}", "excluded: unknown reason for the exclusion"),
        ("{\"path\":\"a\",\"path_base64\":\"a\"}", "path_base64: not base64"),
        ("{\"path\":\"a\",\"path_base64\":\"AA==\"}", "path_base64: contains a NUL byte"),
        ("{\"path\":\"a\",\"root_base64\":\"?\"}", "root_base64: not base64"),
        (
            "{\"path\":\"a\",\"scanned_at\":\"x\"}",
            "scanned_at: neither seconds since 1970 nor a date such as 2026-11-21T08:15:00Z",
        ),
        ("{\"path\":\"a\",\"host\":\"\\u0000\"}", "host: contains a NUL byte"),
        ("{\"path\":\"k/\",\"size\":1}", "path listed more than once; only one line counts"),
    ];
    let good = ("{\"path\":\"k/l\",\"size\":5}\n{\"path\":\"k\",\"size\":6}\n", "\n{\"path\":\"z\"}\n");
    check(&cases, good, "line 3", &ListOptions::default());
}

#[test]
fn broken_elements_of_an_array() {
    let cases = [
        ("{\"Path\":\"a\",", "byte 11: the object does not end on this line"),
        ("[{\"Path\":\"a\"}]x", "byte 12: trailing data"),
        ("{\"Path\":\"a\"}},", "byte 12: trailing data"),
        ("1,", "byte 0: expected '{'"),
        (",,{\"Path\":\"a\"}", "byte 0: expected '{'"),
        ("{\"Path\":\"a\",\"Size\":-3},", "size: not a whole number"),
        ("{\"Path\":\"a\",\"IsDir\":2},", "is_dir: neither true nor false"),
        (
            "{\"Path\":\"a\",\"ModTime\":\"1st\"},",
            "mtime: neither seconds since 1970 nor a date such as 2026-11-21T08:15:00Z",
        ),
    ];
    let good = ("[\n{\"Path\":\"k\",\"Size\":5},\n", "\n{\"Path\":\"z\",\"Size\":1}\n]\n");
    check(&cases, good, "line 3", &preset(ListPreset::Rclone));
}

#[test]
fn broken_values_of_csv() {
    let cases = [
        ("a", "fewer columns than the header"),
        ("a,1,f", "fewer columns than the header"),
        ("a,b,1,f,0", "more columns than the header"),
        ("\"a\"b,1,f,0", "text after a closing quote"),
        ("\"a\" ,1,f,0", "text after a closing quote"),
        ("a,\"1\"2,f,0", "text after a closing quote"),
        (",1,f,0", "no path"),
        (",,,", "no path"),
        ("a,x,f,0", "size: not a whole number"),
        ("a,-2,f,0", "size: not a whole number"),
        ("a,1 000,f,0", "size: not a whole number"),
        ("a,1.0,f,0", "size: not a whole number"),
        ("a,0x1,f,0", "size: not a whole number"),
        ("a,\u{ff11},f,0", "size: not a whole number"),
        ("a,99999999999999999999,f,0", "size: number does not fit into 64 bits"),
        ("a,1,ff,0", "type: unknown kind of entry"),
        ("a,1,f,yesterday", "mtime: neither seconds since 1970 nor a date such as 2026-11-21T08:15:00Z"),
        ("a,1,f,2026-02-30", "mtime: neither seconds since 1970 nor a date such as 2026-11-21T08:15:00Z"),
        ("b/../a,1,f,0", "'..' is allowed only at the start of a relative path"),
        ("a\u{0},1,f,0", "path: contains a NUL byte"),
    ];
    check(&cases, ("path,size,type,mtime\nk,5,f,0\n", "\nz,1,f,0\n"), "line 3", &ListOptions::default());
    let without_header = [
        ("a", "no column 2"),
        ("a,", "size: not a whole number"),
        ("\"a\"x,1", "text after a closing quote"),
    ];
    check(&without_header[..1], ("k,5\n", "\nz,1\n"), "line 2", &fields(&["path=1", "size=2"]));
    check(&without_header[2..], ("k,5\n", "\nz,1\n"), "line 2", &fields(&["path=1", "size=2"]));
}

#[test]
fn broken_records_of_du_find_and_s3() {
    let du = [
        ("", "fewer than 2 columns separated by tabs"),
        ("12", "fewer than 2 columns separated by tabs"),
        ("x\ta", "size: not a whole number"),
        ("\ta/../b", "'..' is allowed only at the start of a relative path"),
        ("1\t", "no path"),
        ("4.0K\ta", "size: not a whole number"),
    ];
    let du = du.map(|(record, reason)| (format!("{record}\0"), reason));
    let du: Vec<(&str, &str)> = du.iter().map(|(record, reason)| (record.as_str(), *reason)).collect();
    check(&du, ("5\tk\0", "1\tz\0"), "record 2", &preset(ListPreset::Du));
    let find = [
        ("a\0", "fewer than 4 columns separated by tabs"),
        ("a\t1\t8\0", "fewer than 4 columns separated by tabs"),
        ("a\tx\t8\t1\0", "size: not a whole number"),
        ("a\t1\tx\t1\0", "disk: not a whole number"),
        ("a\t1\t8\tx\0", "mtime: neither seconds since 1970 nor a date such as 2026-11-21T08:15:00Z"),
        ("\t1\t8\t1\0", "no path"),
        ("a\t1\t36028797018963968\t1\0", "disk: more than 2^64-1 bytes"),
    ];
    check(&find, ("k\t5\t8\t1\0", "z\t1\t8\t1\0"), "record 2", &preset(ListPreset::Find));
    let s3 = [
        ("\"b\"\n", "no column 2"),
        ("\"b\",\"k\"\n", "no column 3"),
        ("\"b\",\"%zz\",\"1\",\"\"\n", "path: '%' without two hexadecimal digits after it"),
        ("\"b\",\"%\",\"1\",\"\"\n", "path: '%' without two hexadecimal digits after it"),
        ("\"b\",\"a%00\",\"1\",\"\"\n", "path: contains a NUL byte"),
        ("\"b\",\"a\",\"null\",\"\"\n", "size: not a whole number"),
        ("\"b\",\"\",\"1\",\"\"\n", "has a root, but no path"),
        ("\"b\",\"a/%2E%2E/c\",\"1\",\"\"\n", "'..' is allowed only at the start of a relative path"),
    ];
    let good = ("b,k,5,2026-11-21T08:15:00Z\n", "b,z,1,2026-11-21T08:15:00Z\n");
    check(&s3, good, "line 2", &preset(ListPreset::S3Inventory));
}

#[test]
fn the_first_lines_are_named_and_the_others_counted() {
    let text = format!("path,size\nr/a,1\n{}r/b,2\n", "r/c,x\n".repeat(1234));
    let list = read(&text);
    assert_eq!(list.messages.len(), 6);
    assert_eq!(list.messages[0], format!("line 3: size: {NOT_WHOLE}"));
    assert_eq!(list.messages[5], "1,229 more errors");
    assert_eq!(list.totals().apparent, 3);
}

#[test]
fn a_quote_that_is_never_closed_costs_one_line() {
    let list = read("path,size\nr/a,1\n\"r/b,2\nr/c,4\nr/d,8\n");
    assert_eq!(list.messages, ["line 3: quote is not closed"]);
    assert_eq!(list.totals().apparent, 13);
    let long = format!("path,size\n\"r/b,2\n{}", "r/c/d/e/f,4\n".repeat(30_000));
    let list = read_in(long.as_bytes(), &ListOptions::default(), 1 << 16).unwrap();
    assert_eq!(list.messages[0], "line 2: longer than 256 KiB");
    assert_eq!(list.messages[1], "r/c/d/e/f: path listed more than once; only one line counts");
    let newline = read("path,size\n\"r/a\nb\",1\nr/c,x\n");
    assert_eq!(newline.messages, [format!("line 4: size: {NOT_WHOLE}")]);
    assert_eq!(newline.summary(), ["r/ directory 0 0", "r/a\nb file 1 1"]);
}

#[test]
fn long_lines_and_long_paths_are_refused() {
    let long = "x".repeat(300_000);
    let text = format!(
        "{{\"path\":\"r/a\",\"size\":1}}\n{{\"path\":\"{long}\"}}\n{{\"path\":\"r/b\",\"size\":2}}\n"
    );
    let list = read_in(text.as_bytes(), &ListOptions::default(), 1 << 16).unwrap();
    assert_eq!(list.messages, ["line 2: longer than 256 KiB"]);
    assert_eq!(list.totals().apparent, 3);
    let path = format!("path,size\nr/{},1\nr/c,2\n", "a/".repeat(40_000));
    let list = read_in(path.as_bytes(), &ListOptions::default(), 1 << 16).unwrap();
    assert_eq!(list.messages, ["line 2: path: longer than 65,535 bytes"]);
    let deep = format!("path,size\nr/{}x,1\nr/c,2\n", "a/".repeat(30_000));
    let list = read_in(deep.as_bytes(), &ListOptions::default(), 1 << 16).unwrap().good();
    assert_eq!(list.totals().items, 30_002);
}

#[test]
fn a_list_cut_anywhere_keeps_its_beginning() {
    let text = "path,size\nr/a,1\n\"r/b\",2\nr/c,4\n";
    for end in 12..text.len() {
        let list = read_with(&text[..end], &ListOptions::default());
        assert!(list.messages.len() <= 1, "{end}");
        assert!(list.totals().apparent >= u64::from(end > 15), "{end}");
    }
}
