from bench.texts import WINDOW_WORDS, queries, windows


def test_any_number_of_texts_can_be_had() -> None:
    for count in (1, 7, 3000):
        texts = list(windows(count))
        assert len(texts) == count
        assert all(len(text.split()) == WINDOW_WORDS for text in texts)
    assert len(set(windows(3000))) > 2900


def test_one_seed_gives_one_list_of_queries() -> None:
    assert queries(20, seed=3) == queries(20, seed=3)
    assert queries(20, seed=3) != queries(20, seed=4)
    assert all(3 <= len(query.split()) <= 7 for query in queries(50, seed=1))
