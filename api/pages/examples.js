/* What the playground offers to start from: name, and what goes into the form. Absent members keep their
 * default. */

export const EXAMPLES = {
    expand: [
        { name: "Column to matrix", data: "[[1], [2.5], [-3]]", list: "3, 4" },
        { name: "New axis in front", type: "INT32", data: "[1, 2, 3]", list: "2, 3, 3" },
        { name: "Both grow", type: "INT64", data: "[[[0, 1, 2]],\n [[3, 4, 5]]]", list: "4, 1" },
        { name: "1 keeps a size", type: "UINT8", data: "[[1, 2], [3, 4]]", list: "3, 1, 1" },
        { name: "Strings", type: "BYTES", data: '[["naïve"], ["∀x"]]', list: "2, 3" },
        { name: "Not finite", type: "FP16", data: "[0.1, NaN, -inf, -0.0]", list: "2, 4" },
        { name: "Size 0", type: "FP64", data: "[[1], [2]]", list: "2, 0" },
        { name: "10 million", type: "FP32", data: "", shape: "10, 1", list: "10, 1000000" },
        { name: "Sizes differ", type: "FP32", data: "[[1, 2]]", list: "2, 3", wrong: true },
        { name: "Out of range", type: "UINT8", data: "[[1], [300]]", list: "2, 2", wrong: true },
    ],
    unsqueeze: [
        { name: "Front and back", type: "INT64", data: "[[1, 2], [3, 9007199254740993]]", list: "0, -1" },
        { name: "Row to column", data: "[1, 2, 3, 4]", list: "1" },
        {
            name: "Attention mask",
            type: "BOOL",
            data: "[[true, true, true, false],\n [true, true, false, false]]",
            list: "1, 2",
        },
        { name: "Scalar to matrix", type: "FP64", data: "42", list: "0, 1" },
        { name: "4-bit", type: "INT4", data: "[-8, -1, 0, 7]", list: "0" },
        { name: "Complex", type: "COMPLEX64", data: "[1+2i, 3-4i]", list: "-1" },
        { name: "Axes as attribute", version: "11", data: "[5, 6]", list: "0, 2" },
        { name: "Axis given twice", type: "FP32", data: "[1, 2]", list: "0, -3", wrong: true },
        { name: "Axis out of range", type: "FP32", data: "[1, 2]", list: "0, 3", wrong: true },
    ],
};
