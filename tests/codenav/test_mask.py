"""Texts that a grammar cannot read are painted over before it parses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backstory.codenav.languages import Paint, detect, languages
from backstory.codenav.mask import masked
from backstory.codenav.outline import outline_of
from backstory.codenav.symbols import symbols

FIXTURES = Path(__file__).parent / "fixtures"
MASKED = [name for name, language in languages().items() if language.mask]


def test_the_painted_text_is_as_long_as_the_true_one() -> None:
    language = replace(languages()["swift"], mask=(Paint(r"(\n) x", " "), Paint("ü", "-")))
    assert masked("ü\n x".encode(), language) == b"--  x"


@pytest.mark.parametrize("name", MASKED)
def test_no_pattern_changes_the_length_of_a_text(name: str) -> None:
    (path,) = [one for one in FIXTURES.glob(f"{name}.*") if one.suffix != ".symbols"]
    code = path.read_bytes()
    for text in (code, code[: len(code) // 2], code.replace(b"\n", b"\r\n"), code[::-1]):
        assert len(masked(text, languages()[name])) == len(text)


def test_a_class_goes_on_behind_a_condition_of_the_compiler() -> None:
    source = (
        "class Net {\n#if os(iOS)\n  func ios() {}\n#else\n  func mac() {}\n#endif\n"
        "  func all() {}\n}\n"
    )
    language = detect("a.swift")
    assert language is not None
    assert [one.qualified_name for one in symbols(source, language)] == [
        "Net",
        "Net.ios",
        "Net.mac",
        "Net.all",
    ]


def test_the_lines_are_true_where_a_line_break_is_painted_over() -> None:
    source = "class Rule\n  @Inject\n  constructor(val a: Int) : Base() {\n  fun f() {}\n}\nval )\n"
    outline = outline_of(source, "a.kt")
    assert [(one.qualified_name, one.start_line, one.end_line) for one in outline.symbols][:3] == [
        ("Rule", 1, 5),
        ("Rule.a", 3, 3),
        ("Rule.f", 4, 4),
    ]
    assert [(one.start_line, one.end_line) for one in outline.problems] == [(6, 6)]


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        (
            "a.kt",
            (
                "@A(1)\n@B\nclass One\n\n@C(d.E)\n@F([G(h(1))])\nclass Two<T>\n@I\nclass Three\n"
                "  @Inject(a(b))\n  internal constructor(val c: Int) { fun f() {} }\n"
                "// of a class\n@J\ndata class Four(val a: Int)\n@K(1)\nobject Five\n"
            ),
            ["One", "Two", "Three", "Three.c", "Three.f", "Four", "Four.a", "Five"],
        ),
        ("a.cs", "#!/usr/bin/dotnet run\n#:sdk Cake.Sdk\nvoid F() { }\n", ["F"]),
        (
            "a.cs",
            (
                "class A<T> where T : class, allows ref struct { }\n"
                "class B<T> where T : allows ref struct;\n"
            ),
            ["A", "B"],
        ),
        (
            "a.swift",
            (
                "class A {\n  func f() {\n    switch a {\n    case .b(let c):\n      let d = E(c)\n"
                "      @Sendable func g() { h() }\n      g()\n    default:\n      break\n    }\n"
                "  }\n  @discardableResult func i() -> Int { 1 }\n}\n"
            ),
            ["A", "A.f", "A.f.g", "A.i"],
        ),
        ("a.swift", 'class A {\n  let all = ["x": ()]\n  let b = 1\n}\n', ["A", "A.all", "A.b"]),
        ("a.swift", "func f<let n: Int, T>(a: T) {}\nfunc g() {}\n", ["f", "g"]),
        (
            "a.c",
            "struct A {\n  UV_REQ_FIELDS\n  UV_MORE_FIELDS\n  int b;\n  UV_END_FIELDS\n};\n",
            ["A", "A.b"],
        ),
        (
            "a.c",
            "enum A {\n  A_ONE\n};\nenum B {\n  B_ONE,\n  B_TWO\n};\n",
            [*["A", "A.A_ONE", "B", "B.B_ONE", "B.B_TWO"]],
        ),
        ("a.c", "UV_UNUSED(static int f(const char* a)) {\n  int b;\n}\nint g;\n", ["f", "g"]),
        ("a.c", "HEAP_EXPORT(void f(struct heap* a,\n     int b));\nint g;\n", ["f", "g"]),
        ("a.c", "typedef BOOL (PASCAL *CONNECT)(SOCKET a, int b);\n", ["CONNECT"]),
        ("a.c", "static BOOL WINAPI f(DWORD a) { return 1; }\n", ["f"]),
        ("a.c", "JNIEXPORT jint JNICALL Java_a_b(JNIEnv *env) { return 1; }\n", ["Java_a_b"]),
        ("a.c", "typedef unsigned __int64 uint64_t;\nint a;\n", ["uint64_t", "a"]),
        (
            "a.cpp",
            (
                "class GTEST_API_ [[nodiscard]] A {\n  int b;\n};\n"
                "struct LIB_API C // why\n{\n  int d;\n};\n"
            ),
            ["A", "A.b", "C", "C.d"],
        ),
        (
            "a.cpp",
            "class A {\n  int b;\n\n  DEFINE_TYPE(A, b)\n  DEFINE_TYPE(A, c)\n};\nint e;\n",
            ["A", "A.b", "e"],
        ),
        (
            "a.cpp",
            "class A {\n  A_PRIVATE_UNLESS_TESTED:\n  int b;\n public slots:\n  int c;\n};\n",
            ["A", "A.b", "A.c"],
        ),
        (
            "a.cpp",
            (
                "class A {\n  void f() {\n"
                "    A_TRY\n    { g(); }\n    A_CATCH(...) {}\n  }\n  int b;\n};\n"
            ),
            ["A", "A.f", "A.b"],
        ),
        ("a.c", "static int __init f(void) { return 0; }\nint a;\n", ["f", "a"]),
        ("a.c", "static noinline int f(void) { return 0; }\nint a;\n", ["f", "a"]),
        ("a.c", "int f(int a LIB_UNUSED) { return 0; }\nvoid LIB_CAPI g(void);\n", ["f", "g"]),
        (
            "a.c",
            "struct A {\n  LOCK_DECLARE(mtx)\n\n  /* How much. */\n  size_t base;\n};\n",
            ["A", "A.base"],
        ),
        (
            "a.cpp",
            (
                "class A {\n  void f() {}\n\n  /// @brief makes one\n"
                "  LIB_WARN_UNUSED\n  static A make(B b = {}) { return A(b); }\n"
                "  /// @deprecated\n  LIB_DEPRECATED_FOR(3.1, items()) // why\n"
                "  A(int b) : c(b) {}\n  int c;\n};\n"
            ),
            ["A", "A.f", "A.make", "A.A", "A.c"],
        ),
        (
            "a.cpp",
            (
                "struct A {\n protected:\n  LIB_NON_NULL(2)\n  A(int a, const char* b) : c(b) {}\n"
                " public:\n  LIB_CONSTEXPR ~A() { free(c); }\n"
                "  LIB_INLINE A(B b) noexcept : c(b) { d(); }\n"
                "  LIB_CONSTEXPR explicit A(int (*b)(int)) : c(b) {}\n};\n"
            ),
            ["A", "A.A", "A.~A", "A.A", "A.A"],
        ),
        (
            "a.cpp",
            (
                "struct A {\n  template < typename V, typename std::enable_if < con < n<V>, n<V>,"
                " n<V>, n<V>, n<V>,\n n<V>, n<V>, n<V>, n<V>, i<g, const V&> >::value, int"
                " >::type = 0 >\n"
                "  operator V() const { return get<V>(); }\n  int b;\n};\n"
            ),
            ["A", "A.operator V", "A.b"],
        ),
        (
            "a.cpp",
            (
                "template <typename T, LIB_ENABLE_IF(!std::is_same<T, char>::value)>\n"
                "void f(T a);\n"
                "template <template <class> class C, int N = (1 > 0)> struct D {};\n"
                "template <> struct D<int> {};\ntemplate <class T = U (&)[2]> void g();\n"
            ),
            ["f", "D", "D", "g"],
        ),
        (
            "a.cpp",
            (
                "auto f(A* a) {\n  if LIB_CONSTEXPR (a) {\n    b();\n  } else {\n    c();\n  }\n"
                "  (a->*b)();\n  x = (a.*b)(2);\n  c.template d<int>();\n"
                "  return typename T::e(1);\n}\nint g;\n"
            ),
            ["f", "g"],
        ),
        (
            "a.cpp",
            (
                'TEST_CASE("adds up") {\n  SECTION("of none")\n  {\n    int a;\n  }\n}\n'
                'TEST_CASE_METHOD(Cart, "adds \\"(b)\\"", "[c]")\n{\n}\n'
                'TEST_CASE_TEMPLATE("of all", T, int, long) { }\nTEST(Cart, adds) { }\n'
            ),
            ["adds up", 'adds \\"(b)\\"', "of all", "Cart.adds"],
        ),
        (
            "schema.graphqls",
            (
                'type A {\n  "By the \\u2116\\/\\t of it"\n  b(c: String = "\\"d\\\\"): Int\n}\n'
                "query {\n  a\n}\nmutation ($a: Int) @live {\n  a\n}\nquery Last {\n  a\n}\n"
            ),
            ["A", "A.b", "query", "mutation", "Last"],
        ),
        (
            "a.c",
            "LONG WINAPI\nExitWith(struct _P* p) {\n}\nint CALLBACK f(void) {\n}\nint last;\n",
            ["ExitWith", "f", "last"],
        ),
        (
            "a.cpp",
            (
                "class W : public Q {\n  Q_OBJECT\n  [[nodiscard]] int nd() const&;\n"
                "  void f() {};\n};\nauto l = [](int a) {};\nint last() { return 1; }\n"
            ),
            ["W", "W.nd", "W.f", "l", "last"],
        ),
        (
            "a.scala",
            (
                "given ord: Ordering[C] with { def a = 1 }\nobject C {\n  def x = 1\n}\n"
                "given [T](using o: Ord[T]): Ord[List[T]] with {\n  def b = 3\n}\n"
                "given Ord[String]\n  with {\n  def c = 3\n}\nclass Last\n"
            ),
            [
                *("ord", "ord.a", "C", "C.x"),
                *("Ord[List[T]]", "Ord[List[T]].b", "Ord[String]", "Ord[String].c", "Last"),
            ],
        ),
        (
            "a.rs",
            (
                "bitflags! {\n    /// All.\n    #[derive(Debug)]\n    pub struct Flags: u32 {\n"
                "        const A = 1;\n    }\n}\nbitflags::bitflags! {\n    impl Foo: u16 {\n"
                "        const X = Self::A.bits() | 1;\n    }\n}\nfn after() {}\n"
            ),
            ["Flags", "Foo", "after"],
        ),
        (
            "a.cs",
            (
                "static class E\n{\n    extension<T>(IEnumerable<T> all) where T : class\n    {\n"
                "        public bool None => !all.Any();\n"
                "        public int F(Func<T, bool> p) { if (p == null) { return 1; } return 2; }\n"
                "    }\n    extension(string s)\n    {\n        public int Words() => 1;\n    }\n"
                "    public static int After(this string s) => 1;\n}\n"
            ),
            ["E", "E.None", "E.F", "E.Words", "E.After"],
        ),
        (
            "a.c",
            (
                "enum advice {\n\tADVICE_A,\n\tADVICE_GRAFT_DEPRECATED,\n\tREF_FORMAT_FILES = 3,\n"
                '\tATTR_UNUSED\n};\nstatic const char *const LOG_FORMAT = "x";\nint RAW_FORMAT;\n'
                "struct foo DATE_FORMAT[] = {\n\tOTHER_FORMAT,\n\tOTHER_UNUSED,\n};\n"
                "int f(int x)\n\tLIB_UNUSED;\nunsigned int i ATTR_UNUSED = 3;\nint last;\n"
            ),
            [
                *("advice", "advice.ADVICE_A", "advice.ADVICE_GRAFT_DEPRECATED"),
                *("advice.REF_FORMAT_FILES", "advice.ATTR_UNUSED", "LOG_FORMAT", "RAW_FORMAT"),
                *("DATE_FORMAT", "f", "i", "last"),
            ],
        ),
        (
            "a.c",
            (
                "typedef const git_oid * GIT_CALLBACK(parent_cb)(size_t idx, void *payload);\n"
                "struct s {\n\tint GIT_CALLBACK(free)(\n\t\tstruct s *self);\n};\n"
                "void LIB_SYMBOL(wait)(\n  a_t* who);\n"
                "int PRIV(valid)(int a, int (*b)(int))\n{\n  return PRIV(next)(a);\n}\nint last;\n"
            ),
            ["parent_cb", "s", "s.free", "wait", "valid", "last"],
        ),
        (
            "a.c",
            (
                'void f(void)\n{\n  check(REP1024("abcd") "/", REP1024("abcd") "/");\n'
                '  check("/", "/" REP1024("abcd"));\n  check("", 1, "");\n}\n'
                "static inline KEEPS_FORMAT(1) KEEPS_FORMAT(2)\nconst char *q(const char *m)\n"
                "{\n}\n"
                '#define EMPTY(x) ""\n#define LAST(x) ""\n'
            ),
            ["f", "q", "EMPTY", "LAST"],
        ),
        (
            "a.cpp",
            (
                "class S {\n  using M = s::c<s::j<s::same<A, s::alloc<V<A>>>>, X, Y>;\n"
                "  void f() {\n"
                "    if (s::t<V<A>> && s::same<A, s::alloc<V<A>>>) {\n      D();\n    }\n  }\n"
                "  int g();\n};\nint last;\n"
            ),
            ["S", "S.M", "S.f", "S.g", "last"],
        ),
        (
            "a.cpp",
            (
                "class S {\n  int f() {\n    LIB_TRY { g(); }\n    LIB_CATCH_ANY {\n"
                "      LIB_RETHROW;\n"
                "    }\n    BOOST_TRY { g(); }\n    BOOST_CATCH(...) { h(); }\n"
                "    BOOST_CATCH_END\n"
                "    return 1;\n  }\n  int g();\n};\n"
            ),
            ["S", "S.f", "S.g"],
        ),
        (
            "a.cpp",
            (
                "struct S {\n  using A = int(Int::*);\n"
                "  using C = c_t<k, Int (Int::*)(const int&, int) noexcept,\n"
                "                Int (a::Int::*)(const int&, int)>;\n  int g();\n};\n"
            ),
            ["S", "S.A", "S.C", "S.g"],
        ),
        (
            "a.cpp",
            (
                'LIB_FLAG(bool, one, {}, "");\nLIB_FLAG(M<a, b>, two, {1, 2}, "");\n\nnamespace {\n'
                "int f() {\n  return 1;\n}\nTEST_F(A, B) {\n  int x;\n}\n}\n"
            ),
            ["f", "A.B"],
        ),
        (
            "a.cpp",
            (
                "class A {\n  explicit A(Mutex* absl_nonnull mu) LIB_LOCK_FUNCTION(mu)\n"
                "      : mu_(mu) {\n"
                "    mu->Lock();\n  }\n  A(Mutex& mu LIB_ATTRIBUTE_CAPTURED, int x)\n"
                '      LIB_LOCK_FUNCTION(mu)\n      : mu_(&mu) {\n  }\n  [[deprecated("b")]]\n'
                "  LIB_REFACTOR_INLINE\n  explicit A(int b);\n  Mutex* absl_nullable const mu_;\n"
                "  char* _Nullable arg_ = nullptr;\n  absl_nonnull std::unique_ptr<D> data_;\n};\n"
                "void A::B::Append(CordRep* my_nonnull tree,\n                  int method) {\n"
                "  int x = 1;\n}\n"
                "absl_nonnull\nA* g(bool is_nullable);\n#define mine_nonnull _Nonnull\n"
            ),
            [
                *("A", "A.A", "A.A", "A.A", "A.mu_", "A.arg_", "A.data_"),
                *("A.B.Append", "g", "mine_nonnull"),
            ],
        ),
        (
            "a.cpp",
            (
                'using monostate LIB_REFACTOR_INLINE\n    LIB_DEPRECATED("b") = std::monostate;\n'
                "template <typename... Ts>\n"
                "using variant LIB_REFACTOR_INLINE = std::variant<Ts...>;\n"
                "inline constexpr size_t npos LIB_REFACTOR_INLINE\n    = std::variant_npos;\n"
                "Factory factory __attribute__((weak)) =\n    Default;\n"
            ),
            ["monostate", "variant", "npos", "factory"],
        ),
        (
            "a.c",
            (
                "#define ZEXPORT __declspec(dllexport)\n#define last_of(a) a\n"
                "u_char * lib_cdecl print(u_char *buf, const char *fmt, ...);\n"
                "int lib_libc_cdecl main(int argc)\n{\n  int p;\n}\n"
                "ZEXTERN int ZEXPORT z_deflate _Z_OF((z_streamp strm, int flush))\n{\n  int q;\n}\n"
                "int f OF((int a, void (*b)(int)));\n"
                "gzFile ZEXPORT gzopen(const char *path) {\n  int r;\n}\n"
                "extern LIB_API type_t*\nname(size_t n);\n"
            ),
            ["ZEXPORT", "last_of", "print", "main", "z_deflate", "f", "gzopen", "name"],
        ),
        (
            "a.cpp",
            (
                "struct S {\n"
                "  template <class U> void d(std::enable_if_t<D, U>* = nullptr) { e<1>(); }\n"
                "  void f(U *= nullptr);\n  void run() {\n    LIB_TRY {\n      x();\n"
                "    } LIB_CATCH_ANON( std::exception const& e ) {\n      y();\n    }\n  }\n"
                "  int g();\n};\n"
            ),
            ["S", "S.d", "S.f", "S.run", "S.g"],
        ),
    ],
)
def test_what_a_grammar_cannot_read_hides_no_symbol(
    path: str, source: str, expected: list[str]
) -> None:
    """K2"""
    outline = outline_of(source, path)
    assert [one.qualified_name for one in outline.symbols] == expected
    assert not outline.problems


def test_a_pattern_paints_each_of_its_groups_and_needs_one_of_its_words() -> None:
    paints = (Paint("a(b)c(d)?", " "), Paint("x", "-", ("xy",)), Paint("z", "+", hint="z$"))
    language = replace(languages()["swift"], mask=paints)
    assert masked(b"abcd abc x z.", language) == b"a c  a c x z."
    assert masked(b"abce xy z", language) == b"a ce -y +"


def test_what_is_painted_near_a_hint_is_painted_once() -> None:
    text = b"z\n" + b"z z z\n" * 1_000 + b"y"
    language = replace(languages()["swift"], mask=(Paint("(z)", "+", hint="z$"),))
    assert masked(text, language) == text.replace(b"z", b"+")
    language = replace(languages()["swift"], mask=(Paint("z", "+", hint="y"),))
    assert masked(text, language).count(b"+") == 3_000 // 2


def test_the_first_line_is_painted_like_the_others() -> None:
    language = replace(languages()["swift"], mask=(Paint("\n(a)", "-"), Paint("\nb", "+")))
    assert masked(b"a\na", language) == b"-\n-"
    assert masked(b"b\nb", language) == b"+++"


def test_what_begins_in_a_line_with_one_of_some_words_is_painted_as_if_all_were_looked_at() -> None:
    text = b"b\n a ->\nc a -> a -> \n\n a\n-> a\r\n\ta ->  {\n" * 9 + b"a ->"
    swift = languages()["swift"]
    for regex in (r"\n[ \t]*+(a)[ ]->", r"(a) ->", r"(\n[ \t]*)(?=a ->\s*\{)", r"a (->)[^}]*?\{"):
        everywhere = masked(text, replace(swift, mask=(Paint(regex, "+"),)))
        near = masked(text, replace(swift, mask=(Paint(regex, "+", lines=("->", "{")),)))
        assert near == everywhere != text


@pytest.mark.parametrize("name", MASKED)
def test_what_spares_time_changes_nothing(name: str) -> None:
    """Of all that is painted: neither the words that are asked for nor a hint hide anything."""
    language = languages()[name]
    plain = replace(
        language,
        mask=tuple(replace(one, words=(), hint="", lines=()) for one in language.mask),
    )
    (path,) = [one for one in FIXTURES.glob(f"{name}.*") if one.suffix != ".symbols"]
    code = path.read_bytes()
    for text in (code, code.replace(b"\n", b"\r\n"), code.replace(b"    ", b"\t")):
        assert masked(text, language) == masked(text, plain)


def test_a_text_with_nothing_to_paint_is_handed_on_as_it_is() -> None:
    text = b"class A { var b = 1 }\n"
    assert masked(text, languages()["swift"]) is text
