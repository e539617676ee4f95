from seetopic.runtime import listed, quantity


def test_one_thing_is_singular_and_any_other_number_plural():
    assert [quantity(number, "document") for number in (0, 1, 2)] == ["0 documents", "1 document", "2 documents"]
    assert quantity(1204, "category", "categories") == "1,204 categories"


def test_lists_are_as_in_a_sentence():
    assert [listed("abc"[:number]) for number in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


def test_texts_that_look_like_a_list_are_in_quotes_so_that_each_can_be_told():
    assert listed(["work", "news, politics"]) == "'work' and 'news, politics'"
    assert listed(["health and wellbeing", "work"]) == "'health and wellbeing' and 'work'"
    assert listed(["news, politics"]) == "news, politics"


def test_what_does_not_fit_is_counted_and_no_text_is_cut():
    names = ["good news", "health", "style", "work"]
    assert listed(names, 40) == "good news, health, style and work"
    assert listed(names, 20) == "good news, health and 2 more"
    assert listed(names, 3) == "good news and 3 more"
