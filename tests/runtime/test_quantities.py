from seetopic.runtime import quantity


def test_one_thing_is_singular_and_any_other_number_plural():
    assert [quantity(number, "document") for number in (0, 1, 2)] == ["0 documents", "1 document", "2 documents"]
    assert quantity(1204, "category", "categories") == "1,204 categories"
