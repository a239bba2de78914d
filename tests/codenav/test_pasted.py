"""Which name a pasted signature means, and a sentence about one symbol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.codenav.pasted import pasted


@pytest.mark.parametrize(
    ("text", "name", "kinds"),
    [
        ("func (c *Context) Next()", "Context.Next", "callable"),
        ("func (s Server[T]) Serve(l net.Listener) error {", "Server.Serve", "callable"),
        ("func New(a int) *Foo", "New", "callable"),
        ("type Context struct {", "Context", "type"),
        ("def parse(self, text: str)", "parse", "callable"),
        ("def parse(self,", "parse", "callable"),
        ("async def load(self, url: str = 'x') -> dict[str, int]:", "load", "callable"),
        ('def greet(name="world"):', "greet", "callable"),
        ("@app.route('/x') def index():", "index", "callable"),
        ("def self.create(attrs)", "self.create", "callable"),
        ("fn new(path: &Path) -> Self {", "new", "callable"),
        ("pub(crate) async fn run<T: Read>(input: T)", "run", "callable"),
        ("pub const fn len(&self) -> usize", "len", "callable"),
        ("#[derive(Debug)] pub struct Pair<A, B> {", "Pair", "type"),
        ("impl<T> Display for Wrapper<T> {", "Wrapper", "impl"),
        ("impl Wrapper {", "Wrapper", "impl"),
        ("public static <T> List<T> of(T... xs)", "of", "callable"),
        ("public Map<String, List<Integer>> group(Collection<", "group", "callable"),
        ("@Override public String toString() {", "toString", "callable"),
        ("private static final Map<String, Foo> CACHE = new HashMap<>();", "CACHE", "value"),
        ("class Foo extends Bar {", "Foo", "type"),
        ("export default class Foo<T> extends Bar<T> implements Baz {", "Foo", "type"),
        ("public interface Shape {", "Shape", "type"),
        ("export const load = async (id: string) => {", "load", "callable"),
        ("const load = useCallback(", "load", "value"),
        ("export async function* walk(dir: string)", "walk", "callable"),
        ("Cart.prototype.total = function (a) {", "Cart.total", "callable"),
        ("load<T>(id: T): Promise<T> {", "load", "callable"),
        ("override suspend fun load(id: Int): Result<Cart> {", "load", "callable"),
        ("data class Point(val x: Int)", "Point", "type"),
        ("static inline uint32_t hash_of(const char *s)", "hash_of", "callable"),
        ("int main (int argc, char **argv)", "main", "callable"),
        ("struct node *node_new(int a)", "node_new", "callable"),
        ("std::string Foo::name() const {", "Foo::name", "callable"),
        ("void Foo::bar(int", "Foo::bar", "callable"),
        ("template <typename T> class Stack : public Base<T> {", "Stack", "type"),
        ("#define MAX_OF(a, b)", "MAX_OF", "callable"),
        ("public async Task<IActionResult> GetAsync(int id)", "GetAsync", "callable"),
        ("public string Name { get; set; }", "Name", "value"),
        ("- (void)setName:(NSString *)name forKey:(id)key", "setName", "callable"),
        ("public function find(?string $id): array", "find", "callable"),
        ("defmodule Shop.Cart do", "Shop.Cart", "type"),
        ("local function M.total(a)", "M.total", "callable"),
        ("total :: Int -> Int", "total", "callable"),
        ("CREATE TABLE IF NOT EXISTS orders (", "orders", "type"),
        ("create or replace function total(a int)", "total", "callable"),
    ],
)
def test_a_signature_means_its_name(text: str, name: str, kinds: str) -> None:
    """Whole, or cut open at its end."""
    found = pasted(text)
    assert found is not None
    assert (found.name, found.kinds, found.is_sure) == (name, kinds, True)


@pytest.mark.parametrize(
    ("text", "name", "is_sure"),
    [
        ("where is Cart defined?", "Cart", False),
        ("where is place_order defined", "place_order", True),
        ("where is the function placeOrder implemented?", "placeOrder", True),
        ("where are Cart.totals used", "Cart.totals", True),
        ("where is `load` called from?", "load", True),
        ("definition of Cart", "Cart", False),
        ("find the definition of Cart.total", "Cart.total", True),
        ("go to the declaration of load", "load", False),
        ("who calls Cart.total()?", "Cart.total", True),
        ("what calls total", "total", False),
        ("callers of total", "total", False),
        ("what does get_user do?", "get_user", True),
        ("where is get_user", "get_user", True),
        ("get_user implementation", "get_user", True),
    ],
)
def test_a_sentence_about_a_symbol_means_it(text: str, name: str, is_sure: bool) -> None:
    """A word that may be one of plain language as well is not sure."""
    found = pasted(text)
    assert found is not None
    assert (found.name, found.is_sure) == (name, is_sure)


@pytest.mark.parametrize(
    "text",
    [
        "total",
        "Cart.total",
        "total(",
        "self.items.remove(item)",
        "class of service",
        "class Cart",
        "message queue",
        "type safety in generics",
        "where is authentication",
        "where are cookies merged with the session",
        "how does the cache work",
        "how does it work",
        "parse date (iso)",
        "size of list(x)",
        "return total(a)",
        "if (total(a)) {",
        "for x in total(y):",
        "x = total(y)",
        "definition of a cart that is empty",
        "the cart (of a customer)",
        "rounded once.",
        "a: b",
    ],
)
def test_other_texts_are_neither(text: str) -> None:
    """Names, questions, lines of code."""
    assert pasted(text) is None


@given(st.text(max_size=400))
def test_any_text_can_be_looked_at(text: str) -> None:
    """Nothing is too odd, and a name is none of white space."""
    found = pasted(text)
    assert found is None or found.name.strip()
