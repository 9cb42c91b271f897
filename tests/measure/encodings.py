"""Measures how often an encoding is recognised: `python tests/measure/encodings.py [--wrong]`.

Texts of many languages are cut to lengths from 5 to 200 characters at every blank or every tenth character,
half of them put into a page with a heading, frontmatter and code, and encoded in each encoding that can hold
them. A text counts as right where it comes out as it went in, whatever the encoding is called.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from typing import Final

from chunking import UndecodablePage, decode

LENGTHS: Final = (5, 10, 20, 40, 100, 200)

# One paragraph each, about running a small service.
TEXTS: Final = {
    "Chinese": (
        "本页说明如何部署服务，以及失败时如何回滚。请先阅读配置说明，然后检查数据库的连接是否正常。如"
        "果服务不能启动，可以查看日志文件，里面记录了每一次错误的原因。升级之前一定要备份数据，否则旧"
        "的索引会丢失。我们建议在测试环境中先运行一遍，确认没有问题以后再更新生产环境。遇到困难的时候"
        "，请联系管理员，或者在讨论区提出问题，大家会尽快回答。"
    ),
    "Taiwanese": (
        "本頁說明如何部署服務，以及失敗時如何復原。請先閱讀設定說明，然後檢查資料庫的連線是否正常。如"
        "果服務不能啟動，可以查看記錄檔，裡面寫了每一次錯誤的原因。升級之前一定要備份資料，否則舊的索"
        "引會遺失。我們建議在測試環境中先執行一遍，確認沒有問題以後再更新正式環境。遇到困難的時候，請"
        "聯絡管理員，或者在討論區提出問題，大家會盡快回答。"
    ),
    "Japanese": (
        "このページではサービスの起動方法と、失敗したときの戻し方を説明します。まず設定の説明を読んで"
        "から、データベースに接続できるか確認してください。サービスが起動しない場合は、ログファイルを"
        "見ると原因がわかります。更新する前に必ずバックアップを取ってください。そうしないと古い索引が"
        "失われます。困ったときは管理者に連絡するか、掲示板で質問してください。できるだけ早く回答しま"
        "す。"
    ),
    "Korean": (
        "이 문서는 서비스를 배포하는 방법과 실패했을 때 되돌리는 방법을 설명합니다. 먼저 설정 안내를 "
        "읽고 데이터베이스에 연결할 수 있는지 확인하십시오. 서비스가 시작되지 않으면 로그 파일에서 "
        "원인을 찾을 수 있습니다. 업데이트하기 전에 반드시 자료를 백업해야 합니다. 그렇지 않으면 "
        "이전 색인이 사라집니다. 어려움이 있으면 관리자에게 연락하거나 게시판에 질문을 올려 주세요."
    ),
    "Russian": (
        "На этой странице описано, как запустить службу и как вернуться к прежней версии, если "
        "что-то пошло не так. Сначала прочитайте описание настроек и проверьте, доступна ли база "
        "данных. Если служба не запускается, посмотрите журнал: там записаны причины каждой ошибки. "
        "Перед обновлением обязательно сделайте резервную копию, иначе старый указатель будет "
        "потерян."
    ),
    "German": (
        "Diese Seite erklärt, wie man den Dienst startet und wie man zurückkehrt, wenn etwas "
        "schiefgeht. Zuerst müssen die Einstellungen geprüft werden, dann die Verbindung zur "
        "Datenbank. Wenn der Dienst nicht läuft, hilft das Protokoll: Dort stehen die Gründe für "
        "jeden Fehler. Vor größeren Änderungen gehört eine Sicherung dazu, sonst wäre der ältere "
        "Stand möglicherweise verloren."
    ),
    "French": (
        "Cette page explique comment démarrer le service et comment revenir à la version précédente "
        "après un échec. Lisez d’abord les réglages, puis vérifiez que la base de données répond. Si "
        "le service ne démarre pas, le journal indique la cause de chaque erreur. Avant une mise à "
        "jour, il faut créer une sauvegarde, sinon l’ancien index sera perdu à jamais."
    ),
    "Spanish": (
        "Esta página explica cómo iniciar el servicio y cómo volver a la versión anterior si algo "
        "falla. Primero lea la configuración y compruebe la conexión con la base de datos. ¿No "
        "arranca? El registro señala la razón de cada error. Antes de actualizar haga una copia de "
        "seguridad; de lo contrario, el índice más antiguo se perderá mañana."
    ),
    "Portuguese": (
        "Esta página explica como iniciar o serviço e como voltar à versão anterior quando há uma "
        "falha. Primeiro leia as configurações e verifique a ligação à base de dados. Se o serviço "
        "não arrancar, o registo indica a razão de cada erro. Antes da atualização é necessário "
        "fazer uma cópia de segurança; caso contrário, o índice não será recuperável."
    ),
    "Swedish": (
        "Den här sidan förklarar hur man startar tjänsten och hur man går tillbaka om något blir "
        "fel. Läs först inställningarna och kontrollera att databasen svarar. Om tjänsten inte "
        "startar står orsaken i loggen. Gör alltid en säkerhetskopia före en uppgradering, annars "
        "går det äldre indexet förlorat och måste byggas på nytt."
    ),
    "Polish": (
        "Ta strona wyjaśnia, jak uruchomić usługę i jak wrócić do poprzedniej wersji, gdy coś się "
        "nie powiedzie. Najpierw należy przeczytać opis ustawień i sprawdzić połączenie z bazą "
        "danych. Jeśli usługa się nie uruchamia, przyczynę każdego błędu można znaleźć w dzienniku. "
        "Przed aktualizacją trzeba zrobić kopię, inaczej starszy indeks zostanie utracony."
    ),
    "Czech": (
        "Tato stránka vysvětluje, jak spustit službu a jak se vrátit k předchozí verzi, když se něco "
        "nepodaří. Nejprve si přečtěte popis nastavení a ověřte připojení k databázi. Pokud se "
        "služba nespustí, příčinu každé chyby najdete v žurnálu. Před aktualizací je třeba udělat "
        "zálohu, jinak bude starší rejstřík ztracen."
    ),
}

ENCODINGS: Final = {
    "Chinese": ("gb18030", "gbk", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"),
    "Taiwanese": ("big5", "utf-8", "utf-16-le", "utf-16-be"),
    "Japanese": ("shift_jis", "euc_jp", "iso2022_jp", "utf-8", "utf-16-le", "utf-16-be"),
    "Korean": ("euc_kr", "cp949", "utf-8", "utf-16-le", "utf-16-be"),
    "Russian": ("cp1251", "koi8_r", "utf-8", "utf-16-le", "utf-16-be"),
    "Polish": ("cp1250", "utf-8", "utf-16-le"),
    "Czech": ("cp1250", "utf-8", "utf-16-le"),
}
WESTERN: Final = ("latin-1", "cp1252", "utf-8", "utf-8-sig", "utf-16-le")

PAGE: Final = "---\ntitle: page\ntags: [ops]\n---\n\n# Page\n\n{}\n\n```sh\nrun --fast | tail -3\n```\n"


def read_samples(text: str, length: int) -> Iterator[str]:
    starts = (
        [0, *(i + 1 for i, c in enumerate(text) if c == " ")] if text.count(" ") > 9 else range(0, 999, 10)
    )
    for index, start in enumerate(starts):
        sample = text[start : start + length]
        if len(sample) == length:
            yield PAGE.format(sample) if index % 2 else sample


def recognise(raw: bytes) -> tuple[str, str]:
    try:
        decoded = decode(raw)
    except UndecodablePage:
        return "", "undecodable"
    return decoded.text, decoded.encoding


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wrong", action="store_true", help="print what wrong texts were taken for")
    options = parser.parse_args()
    print(f"{'language':12}{'encoding':12}" + "".join(f"{length:>7}" for length in LENGTHS))
    for language, text in TEXTS.items():
        for encoding in ENCODINGS.get(language, WESTERN):
            cells, mistakes = [], Counter[str]()
            for length in LENGTHS:
                samples = [
                    s for s in read_samples(text, length) if not (s.isascii() or _is_other(s, encoding))
                ]
                answers = [recognise(sample.encode(encoding)) for sample in samples]
                right = sum(answer[0] == sample for answer, sample in zip(answers, samples, strict=True))
                mistakes.update(a[1] for a, s in zip(answers, samples, strict=True) if a[0] != s)
                cells.append(f"{right / len(samples):7.0%}" if samples else "      -")
            print(f"{language:12}{encoding:12}{''.join(cells)}  {dict(mistakes) if options.wrong else ''}")


def _is_other(text: str, encoding: str) -> bool:
    """Tells whether the encoding cannot hold the text."""
    try:
        return text.encode(encoding).decode(encoding) != text
    except UnicodeEncodeError:
        return True


if __name__ == "__main__":
    main()
