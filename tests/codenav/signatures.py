"""Sources whose signatures the tests of searching paste."""

from __future__ import annotations

SIGNATURES = {
    "gin/context.go": """\
package gin
type Context struct {
	n int
}

func (c *Context) Next() {
}

func (e *Engine) Next() {
}

func New(n int) *Context {
	return nil
}
""",
    "py/parser.py": """\
class Reader:
    parse: int

    def read(self, text: str) -> str:
        return text


def parse(self, text: str) -> int:
    return 1
""",
    "py/fields.py": """\
class Options:
    def __init__(self):
        self.walk = 1

    walk: int
""",
    "py/walk_it.py": """\
def walk(top):
    return top
""",
    "rs/new.rs": """\
pub struct Pack {}
impl Pack {
    pub fn new(path: &Path) -> Self {
        Pack {}
    }
}
impl fmt::Display for Pack {
    fn fmt(&self) -> u8 {
        1
    }
}
""",
    "java/Lists.java": """\
public class Lists {
  public static <T> List<T> of(T x) {
    return a;
  }
  public static <T> List<T> of(T... xs) {
    return b;
  }
}
class Foo extends Bar {
  Foo() {
  }
}
""",
    "ts/load.ts": """\
export class Loader<T> extends Base<T> {
  private cache: string = '';
  async load<K>(id: K): Promise<T> {
    return 1;
  }
}
export const fetchAll = async (ids: string[]) => {
  return 1;
};
""",
    "c/hash.c": """\
static inline uint32_t hash_of(const char *s)
{
  return 1;
}
struct node *node_new(int a) {
  return 0;
}
""",
    "cpp/foo.cpp": """\
std::string Widget::name() const {
  return n;
}
""",
    "rb/cart.rb": """\
class Cart
  def self.create(attrs)
    1
  end
end
""",
    "php/Repo.php": """\
<?php
class Repo {
  public function find(?string $id): array {
    return [];
  }
}
""",
    "kt/Repo.kt": """\
class Store {
  override suspend fun pull(id: Int): Result<Int> {
    return x
  }
}
""",
}
