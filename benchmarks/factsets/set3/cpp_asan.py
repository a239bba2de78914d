"""C++: a crash that only the sanitizer explains."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Two turns."""
    s = Session("s3-cpp-asan", "/home/erik/src/tracer")
    s.ask(
        "Release build of tracer segfaults when loading scenes/bistro.gltf, debug build doesn't. Help."
    )
    s.bash(
        "cmake --build build-rel -j4 2>&1 | tail -1; ./build-rel/tracer scenes/bistro.gltf; echo rc=$?",
        "[100%] Built target tracer\nSegmentation fault (core dumped)\nrc=139",
    )
    s.bash(
        "cmake -B build-asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS=-fsanitize=address,undefined > /dev/null && cmake --build build-asan -j4 2>&1 | tail -1 && ./build-asan/tracer scenes/bistro.gltf 2>&1 | head -20",
        """
[100%] Built target tracer
=================================================================
==20117==ERROR: AddressSanitizer: heap-use-after-free on address 0x6210000a5100 at pc 0x55d0c1 bp 0x7ffe sp 0x7ffe
READ of size 8 at 0x6210000a5100 thread T0
    #0 0x55d0c1 in MaterialTable::get(unsigned int) const /home/erik/src/tracer/src/material.cpp:48
    #1 0x55e1aa in Loader::bind(Mesh&) /home/erik/src/tracer/src/loader.cpp:203
freed by thread T0 here:
    #0 0x7f21 in operator delete(void*)
    #1 0x55d9ee in std::vector<Material>::_M_realloc_insert /usr/include/c++/13/bits/vector.tcc:530
SUMMARY: AddressSanitizer: heap-use-after-free /home/erik/src/tracer/src/material.cpp:48 in MaterialTable::get(unsigned int) const
""",
        "Run with the address sanitizer",
        fail=1,
    )
    s.read(
        "src/loader.cpp",
        """
void Loader::bind(Mesh& mesh) {
    const Material* fallback = &table_.materials().front();
    for (auto& part : mesh.parts) {
        if (!part.material) part.material = fallback;
        else table_.add(part.source);
    }
}
""",
        offset=196,
        total=310,
    )
    s.edit(
        "src/loader.cpp",
        "    const Material* fallback = &table_.materials().front();",
        "    table_.reserve(table_.size() + mesh.parts.size());  // pointers into the table must stay valid\n    const Material* fallback = &table_.materials().front();",
        before="void Loader::bind(Mesh& mesh) {\n",
        after="\n}\n",
    )
    s.bash(
        "cmake --build build-asan -j4 2>&1 | tail -1 && ./build-asan/tracer scenes/bistro.gltf | tail -2",
        "[100%] Built target tracer\nloaded 2909 meshes, 134 materials in 3.8 s\nrendered 1 frame",
    )
    s.done(
        "The loader keeps a pointer to the first material (`fallback`) while `table_.add()` grows the vector underneath — after a reallocation the pointer dangles. bistro is the only scene with more than 128 materials, the vector's initial capacity, so only it crashes. I reserve up front; ASan is clean.\n\nA proper solution would hand out indices instead of pointers, but that touches every shader binding, so I left it."
    )
    s.fact(
        "why does tracer crash on bistro scene",
        "vector|realloc",
        "pointer|dangl",
        "128|material",
        where="message",
        kind="cause",
    )
    s.fact("asan use after free in material table", "material.cpp", where="output", kind="cause")
    s.fact(
        "how to build tracer with address sanitizer",
        "-fsanitize=address",
        where="command",
        kind="howto",
    )
    s.fact(
        "indices instead of pointers for materials",
        "indices",
        "shader",
        where="message",
        kind="rejected",
    )

    s.ask(
        "ok. what's the load time with release now, vs before we switched to simdjson? there are numbers in bench/"
    )
    s.bash(
        "cat bench/load.csv; cmake --build build-rel -j4 | tail -1; ./build-rel/tracer scenes/bistro.gltf | head -1",
        "date,parser,scene,seconds\n2025-11-02,rapidjson,bistro,2.91\n2025-12-14,simdjson,bistro,1.32\n[100%] Built target tracer\nloaded 2909 meshes, 134 materials in 1.3 s",
    )
    s.done(
        "1.3 s now; 2.91 s with rapidjson in November, 1.32 s after the switch. The `reserve` costs nothing."
    )
    s.fact(
        "scene load time rapidjson vs simdjson",
        "2.91",
        "1.32|1.3 s",
        where="output",
        kind="measured",
    )
    return s.end()
