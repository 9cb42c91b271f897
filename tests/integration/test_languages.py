"""Wikis in several languages: a query in other forms of a page's words finds the page."""

from pathlib import Path

import pytest
from workbench import Workbench

from retrieval.store import open_store

pytestmark = pytest.mark.anyio

# One page in each language, and a query that has its words in other forms, or another spelling.
PAGES = {
    "ar": (
        "يجب إعادة تشغيل المدارس الصغيرة. تحتوي المدرسة على مكتبة، وفيها كتاب عن الأنهار.",
        "الكتاب",
        "انهار",
    ),
    "de": (
        "Die Häuser am Fluss wurden nach dem Hochwasser mit neuen Einstellungen versehen.",
        "Haus",
        "einstellung",
    ),
    "el": ("Οι πόλεις δίπλα στο ποτάμι έχουν παλιά σπίτια και πολλά δέντρα.", "πόλη", "ποταμι"),
    "en": (
        "The lighthouses along this coast were restored after several heavy storms.",
        "lighthouse",
        "restoring",
    ),
    "es": ("Las canciones antiguas se cantaban en los barcos durante las tormentas.", "canción", "cancion"),
    "fi": ("Käyttäjät voivat lukea kirjastossa vanhoja kirjoja joka päivä.", "käyttäjä", "kayttajan"),
    "fr": (
        "Les chansons préférées des marins parlaient souvent de tempêtes lointaines.",
        "chanson",
        "preferee",
    ),
    "hi": ("इस पुस्तकालय में बहुत सी किताबें हैं और लड़के यहाँ रोज़ पढ़ने आते हैं।", "किताब", "लड़का", "रोज"),
    "hu": ("A folyó melletti házakban sok régi könyvek és térképek vannak.", "ház", "könyv", "terkep"),
    "it": (
        "Le stazioni della montagna restano chiuse quando cadono grandi nevicate.",
        "stazione",
        "nevicata",
    ),
    "ja": (
        "開始時にユーザー認証を確認し、完了したらサーバーを再起動します。",
        "認証の確認",
        "ﾕｰｻﾞｰ",
        "再起動",
    ),
    "ko": ("전문검색기능을 설정하려면 서버에서 색인을 다시 만들어야 합니다.", "검색 기능", "색인이", "서버"),
    "pt": (
        "As configurações do servidor foram guardadas antes das atualizações.",
        "configuração",
        "configuracoes",
    ),
    "ro": (
        "Setările serverului și informațiile despre orașe sunt păstrate aici.",
        "setare",
        "informatii",
        "informație",
    ),
    "ru": (
        "Настройками сервера занимаются дежурные, а ёлки стоят у входа в книги.",
        "настройка",
        "елка",
        "книга",
    ),
    "sv": (
        "Inställningarna för servern sparas innan bilarna lämnar husen.",
        "inställning",
        "bil",
        "installningar",
    ),
    "th": ("ระบบนี้ต้องเริ่มการทำงานของเซิร์ฟเวอร์ใหม่ทุกครั้งหลังการปรับปรุง", "การทำงาน", "เซิร์ฟเวอร์"),
    "tr": (
        "Şehrin ışıkları İstanbul kıyısında yanıyor, kapılar akşam kapanıyor.",
        "ışık",
        "ISTANBUL",
        "kapı",
        "isik",
    ),
    "vi": ("Phải khởi động lại máy chủ sau mỗi lần cập nhật hệ thống này.", "máy chủ", "khoi dong"),
    "zh": ("中文关键词召回效果不好的时候，需要重新建立索引。", "关键词召回", "索引"),
}


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    return Workbench(
        tmp_path_factory.mktemp("languages"),
        {f"{language}.md": f"{text}\n" for language, (text, *_) in PAGES.items()},
        window=256,
    )


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def indexed(wiki: Workbench, anyio_backend: str) -> Workbench:
    await wiki.run()
    return wiki


async def count_languages(bench: Workbench) -> dict[str, int]:
    store = await open_store(bench.uri)
    try:
        return dict((await store.snapshot()).generation.counts.languages)
    finally:
        store.close()


async def test_each_page_is_taken_to_be_in_its_language(indexed: Workbench) -> None:
    assert await count_languages(indexed) == dict.fromkeys(PAGES, 1)


@pytest.mark.parametrize(
    ("language", "query"), [(code, query) for code, (_, *queries) in PAGES.items() for query in queries]
)
async def test_other_forms_of_its_words_find_a_page(indexed: Workbench, language: str, query: str) -> None:
    assert f"{language}.md" in await indexed.found(query)


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, (text, *_) in PAGES.items()])
async def test_exact_words_find_a_page_first_whatever_else_is_asked(
    indexed: Workbench, language: str, text: str
) -> None:
    pack = await indexed.search(f"please tell me about {text}", mode="lexical")
    assert pack.evidence[0].citation.path == f"{language}.md"


async def test_the_languages_are_those_of_the_pages_that_are_there(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"a.md": PAGES["de"][0], "b.md": PAGES["en"][0], "c.md": "zorb 1\n"})
    await bench.run()
    assert await count_languages(bench) == {"de": 1, "en": 1, "und": 1}
    bench.write("a.md", PAGES["fr"][0])
    bench.write("d.md", PAGES["fr"][0] + " Encore.")
    bench.delete("b.md")
    await bench.run()
    assert await count_languages(bench) == {"fr": 2, "und": 1}
    assert await bench.rows() == await bench.fresh_rows()


async def test_frontmatter_goes_before_the_guess_and_the_setting(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"a.md": f"---\nlang: de-CH\n---\n{PAGES['en'][0]}", "b.md": PAGES["en"][0]})
    await bench.run()
    assert await count_languages(bench) == {"de": 1, "en": 1}
    assert await bench.found("restoring") == {"b.md"}
    assert await bench.found("restored") == {"a.md", "b.md"}
    await bench.run(language="fr")
    assert await count_languages(bench) == {"de": 1, "fr": 1}


async def test_another_setting_of_the_language_stems_every_page_anew(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"a.md": "Häuser\n"})
    await bench.run()
    assert await bench.found("Haus") == set()
    report = await bench.run(language="de")
    assert bench.embedder.embedded == []
    assert await bench.found("Haus") == {"a.md"}
    assert (await bench.run(language="de")).generation == report.generation
