from tests.contracts.dense_index import ComparingContract, DenseIndexContract, UntrainedContract


class TestScalarIndex(DenseIndexContract, UntrainedContract, ComparingContract):
    kind = "sq8"
