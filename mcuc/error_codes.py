"""The pages of the error codes: what `mcuc explain` shows and docs/errors.md lists.

`python -m mcuc.error_codes > docs/errors.md` writes the page. Nothing is imported here, so that
`mcuc explain` starts at once.
"""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """What a code means, and what its user can do."""

    meaning: str
    remedy: str


CODES: dict[str, Page] = {
    "E100": Page(
        "The command line is wrong: an unknown option or command, a missing argument, a value "
        "that an option cannot have.",
        "See `mcuc COMMAND --help`.",
    ),
    "E101": Page(
        "The file is damaged, or is no model of its kind: an offset, size or index in it is "
        "impossible.",
        "Download or export it again.",
    ),
    "E102": Page(
        "The operator is not supported.",
        "`mcuc ops` lists the supported ones. Replace it in the model, or run it outside of the"
        " model.",
    ),
    "E103": Page(
        "The model has several subgraphs (loops, branches, initialisers of state).",
        "Export the model without control flow and state.",
    ),
    "E104": Page(
        "The operators cannot be executed in the order of the file: a tensor is read before it "
        "has data, or is written twice.",
        "Export the model again; it was edited or damaged.",
    ),
    "E105": Page(
        "A tensor has a shape that is not fixed, is empty where data is needed, or has too many"
        " elements.",
        "Export the model with fixed input sizes. An open batch size alone is fine: it is taken"
        " as 1.",
    ),
    "E106": Page(
        "The model is of a format that this version does not read.",
        "Convert it to an int8 `.tflite`.",
    ),
    "E107": Page(
        "The output folder cannot be written, holds something that mcuc did not make, or holds "
        "a generated file that you changed.",
        "Choose another folder, or remove it yourself.",
    ),
    "E108": Page(
        "A file or folder cannot be read.",
        "Check its name and permissions; compile again if it is an output of mcuc.",
    ),
    "E109": Page(
        "An option has a value that is not allowed.",
        "Use one of the values that the message names.",
    ),
    "E110": Page(
        "A tensor has an element type that the operator does not support.",
        "Convert the model with full integer quantization (int8).",
    ),
    "E111": Page(
        "Shapes of an operator's tensors do not fit to each other.",
        "Export the model again; it was edited or damaged.",
    ),
    "E112": Page(
        "An operand is missing, or there is one too many.",
        "Export the model again with a current converter.",
    ),
    "E113": Page(
        "An operand must be stored in the file, and is computed at run time.",
        "Export the model with fixed shapes and constant weights.",
    ),
    "E114": Page(
        "A tensor has a rank that the operator does not support.",
        "Reshape to the rank that the message names.",
    ),
    "E115": Page(
        "An attribute of the operator (stride, axis, activation, ...) has a value that is not "
        "supported.",
        "Use the values that the message names.",
    ),
    "E116": Page("An operand has no elements.", "Remove the operator: it computes nothing."),
    "E117": Page(
        "A sum would have more terms, or a list more elements, than fit.",
        "Split the operator.",
    ),
    "E118": Page(
        "The file declares another shape or element type for a result than the operator gives.",
        "Export the model again; it was edited or damaged.",
    ),
    "E119": Page(
        "A tensor is of a kind that is not supported: float16, strings, 4 bits, or "
        "state that lives from one run to the next.",
        "Convert with full integer quantization to int8, without state.",
    ),
    "E120": Page(
        "Input data cannot be read.", "Give an `.npy`, `.npz`, image or 16-bit `.wav` file."
    ),
    "E121": Page(
        "Input data do not fit the model's inputs.",
        "Give arrays of the shapes and types that the message names.",
    ),
    "E130": Page(
        "A specification of `--preprocess` or `--postprocess` cannot be read, or has keys or values"
        " that it cannot have.",
        "Correct what the message names; docs/around.md lists the keys.",
    ),
    "E131": Page(
        "What a specification of `--preprocess` or `--postprocess` describes does not fit the "
        "model's inputs or outputs.",
        "Compare it with the shapes that `mcuc inspect` shows.",
    ),
    "E132": Page(
        "The labels do not fit: none, too many, or not as many as the model has classes.",
        "One label per line, in the order of the model's scores.",
    ),
    "E201": Page(
        "A tensor has no quantization parameters.",
        "Convert the model with full integer quantization.",
    ),
    "E202": Page(
        "A scale is 0, infinite, not a number, or negative (convolutions may have channels of "
        "negative scale).",
        "Calibrate again. Give channels without weights any positive scale.",
    ),
    "E203": Page(
        "A zero point is outside of the type's range, or not 0 where it must be.",
        "Quantize weights symmetrically; export again.",
    ),
    "E204": Page(
        "A tensor is quantized per channel where one scale is needed, or per channel on the "
        "wrong axis.",
        "Quantize activations per tensor, weights per output channel.",
    ),
    "E205": Page(
        "An operator's result has other quantization parameters than its rule fixes.",
        "Convert again with TFLite, which writes the right ones.",
    ),
    "E206": Page(
        "The scales of an operator's tensors cannot be combined to a factor.",
        "Calibrate again with data that cover the real range.",
    ),
    "E207": Page(
        "Tensors that must be quantized equally are not.",
        "Give both the same parameters, or put a QUANTIZE between.",
    ),
    "E208": Page(
        "The bias is not in the accumulator's scale, so that the result would be wrong.",
        "Requantize the bias with the product of the scales of input and weights.",
    ),
    "E209": Page(
        "Scales, zero points and channel axis of a tensor do not fit to each other or to its "
        "shape.",
        "Export again with a current converter.",
    ),
    "E210": Page(
        "The model cannot be written as ONNX, which calibration and the export need.",
        "Quantize it where it was trained.",
    ),
    "E211": Page(
        "A tensor is NaN or infinite on a calibration sample.",
        "Check the samples: their scale, and that they hold numbers only.",
    ),
    "E212": Page(
        "A float ONNX model is to be compiled, and nothing says in which arithmetic.",
        "Give `--calibration DATA` for int8, or `--precision float32`.",
    ),
    "E213": Page(
        "A model is to be quantized without samples.",
        "Give `--calibration` with an .npz, an .npy or a folder of images; `random` makes ranges"
        " up.",
    ),
    "E214": Page(
        "There is nothing to quantize: the model is quantized, or float32 was asked for.",
        "Give a float model, and `--calibration`.",
    ),
    "E301": Page(
        "No kernel can execute a node.",
        "Please report it: a portable kernel should apply.",
    ),
    "E302": Page(
        "The asked groups of nodes are no runs of consecutive nodes, or overlap.",
        "Correct the groups.",
    ),
    "E303": Page(
        "A node cannot take part in a streamed or patched group.",
        "End the group before it.",
    ),
    "E304": Page(
        "The input cannot be delivered, or the output taken, row by row: there are several, it has "
        "a batch, is input and output at once, or nothing streams it.",
        "Use `--input-mode consumed` or `kept`, or `--output-mode whole`.",
    ),
    "E305": Page(
        "No schedule does what is asked: the first layers of a streamed input do not stream, or "
        "every schedule needs more memory than the limit.",
        "Use `--input-mode consumed` or `kept`, or a higher limit.",
    ),
    "E306": Page(
        "The op at which patches are to end is not among the compiled ones.",
        "Take an index that `mcuc inspect` shows.",
    ),
    "E307": Page(
        "No schedule is predicted to take as few instructions as `--latency` allows.",
        "Allow more, or see `mcuc schedule`; faster are a smaller model or another core.",
    ),
    "E308": Page(
        "The model cannot compute only the new rows of a sliding window.",
        "The message names every op that prevents it: padding along the rows, strides that do not "
        "divide the step. Train with padding=VALID along the rows, or run whole windows.",
    ),
    "E401": Page(
        "The arena does not fit the RAM given.",
        "See the largest buffers in the message: smaller input, fewer channels, another "
        "schedule, a larger board.",
    ),
    "E402": Page("The program as a whole needs more RAM than given.", "As for E401."),
    "E403": Page(
        "The program does not fit the board's flash or memory.",
        "A board with more memory, a smaller model, `--optimize size`.",
    ),
    "E501": Page("A tool is not installed.", "Install what the message names."),
    "E502": Page("The compiler does not start.", "Repair its installation."),
    "E503": Page(
        "Compiling a file failed.",
        "The compiler's words are in the message; please report it for generated files.",
    ),
    "E504": Page("Linking failed.", "The linker's words are in the message."),
    "E505": Page("A tool took too long.", "Raise the time limit."),
    "E506": Page("The linker says that the program does not fit.", "As for E403."),
    "E507": Page("A tool such as objdump failed.", "Its words are in the message."),
    "E508": Page("A linked program cannot be read.", "Build it again."),
    "E509": Page(
        "A program for Cortex-M0+ holds instructions that the core lacks.",
        "Compile everything, libraries too, with `-mcpu=cortex-m0plus`.",
    ),
    "E520": Page(
        "The port does not exist, or nothing answers there.",
        "Connect the board. `ls /dev/serial/by-id` (Linux), `ls /dev/cu.*` (macOS) or the device "
        "manager (Windows) shows its port.",
    ),
    "E521": Page(
        "The port is in use by another program.",
        "Close the terminal, IDE or other run that has it open.",
    ),
    "E522": Page(
        "There is no permission to open the port.",
        "On Linux `sudo usermod -aG dialout $USER`, then log in again.",
    ),
    "E524": Page(
        "The port went away while it was used: the board was unplugged, or the emulator ended.",
        "Connect it again; check cable and supply.",
    ),
    "E525": Page(
        "The port takes no bytes.",
        "Check that it is the board's port; switch flow control off.",
    ),
    "E540": Page("The TFLite interpreter is not installed.", "`pip install ai-edge-litert`."),
    "E541": Page("The TFLite interpreter refused the model.", "Its words are in the message."),
    "E542": Page(
        "The TFLite interpreter crashed or took too long.",
        "Compare with another reference.",
    ),
    "E543": Page("ONNX Runtime is not installed.", "`pip install 'mcuc[verify]'`."),
    "E544": Page("ONNX Runtime refused the model.", "Its words are in the message."),
    "E545": Page(
        "ONNX Runtime crashed or took too long.",
        "Compare with another reference.",
    ),
    "E550": Page("PlatformIO could not build the project.", "Its words are in the message."),
    "E551": Page(
        "No programmer, or no such port, was found.",
        "Plug the board in by its ST-LINK connector, with a cable that carries data.",
    ),
    "E552": Page("Several boards are plugged in.", "Say which one with `--port`."),
    "E553": Page(
        "The programmer is there, but the chip does not answer, not even held in reset.",
        "Check power and jumpers; hold the reset button while the upload starts.",
    ),
    "E554": Page(
        "Another program uses the programmer or port.",
        "Close debuggers, serial monitors and other uploads.",
    ),
    "E555": Page(
        "No permission to use the programmer or port.",
        "Add the udev rule that the message gives, or join the group of the port.",
    ),
    "E556": Page("The upload failed.", "The programmer's words are in the message."),
    "E557": Page("The chip's flash is protected.", "Remove the protection; that erases the chip."),
    "E558": Page("What was written differs from the program.", "Write again; check the supply."),
    "E559": Page(
        "The chip is not the one that the project is for.", "Compile for the board plugged in."
    ),
    "E601": Page("The board is unknown.", "`mcuc boards` lists them; or give a `board.toml`."),
    "E602": Page(
        "The board's description has problems.",
        "Correct the entries that the message names.",
    ),
    "E603": Page("The RAM regions asked for do not fit the board.", "Name regions that it has."),
    "E604": Page(
        "The board cannot be reached by this version, or is not an emulated one.",
        "Take the emulated board of the same core.",
    ),
    "E605": Page(
        "The board cannot be a project of this form, or the folder is none that can be flashed.",
        "Take the form or command that the message names.",
    ),
    "E606": Page("The name cannot be the id of a board.", "Take another, as the message says."),
    "E607": Page(
        "The description of a lab (`hil.toml`) has problems.",
        "Correct the entries that the message names.",
    ),
    "E610": Page("The program faulted.", "The message names the place and the cause."),
    "E611": Page(
        "The core locked up: a fault inside a fault handler.",
        "Look for a stack overflow first.",
    ),
    "E612": Page("The program was ended by a signal.", "Please report it."),
    "E613": Page(
        "The test program refused its request.",
        "Build it again, with what is asked for (trace).",
    ),
    "E614": Page(
        "The test program could not use its files.",
        "Check space and permissions of the temporary folder.",
    ),
    "E615": Page("The program ended with an unknown status.", "Please report it."),
    "E616": Page("The response of the test program is damaged.", "Run again; build again."),
    "E617": Page(
        "The model wrote outside its memory.",
        "Please report it: a bug in a plan or kernel.",
    ),
    "E618": Page("A sanitizer stopped the program.", "Please report it."),
    "E619": Page(
        "The model's run function returned an error.",
        "Check the arena's size and alignment.",
    ),
    "E620": Page("The program did not end in time.", "Give more time, or look for a hang."),
    "E621": Page(
        "The device does not answer.",
        "Flash the firmware of this model; check port, baud rate and wiring; press reset.",
    ),
    "E622": Page(
        "The device's answer comes too slowly to be whole in time.",
        "Check the baud rate, and that no other program reads from the port.",
    ),
    "E629": Page(
        "A build, upload or analysis did not end in time.",
        "The message says what to look at; `--timeout` gives a build or upload more.",
    ),
    "E630": Page(
        "What comes from the device is damaged, again and again.",
        "Check baud rate, clock and wiring; close other programs on the port.",
    ),
    "E631": Page(
        "The device runs the firmware of another model, or of an older build of this one.",
        "Flash the firmware of this model.",
    ),
    "E632": Page(
        "Weights in the device's flash are not what the model has: their CRC-32 differs.",
        "Flash again and verify; a flash that keeps failing is worn out or wrongly clocked.",
    ),
    "E633": Page(
        "The memory of the weights is blank or cannot be read. Nothing was inferred.",
        "Program the external flash too, and switch its interface on before the models run.",
    ),
    "E634": Page(
        "The device was reset while it worked, without a fault.",
        "Look for a watchdog, a weak supply, or a debugger that resets.",
    ),
    "E635": Page(
        "The device speaks another version of the protocol.",
        "Build and flash the firmware anew.",
    ),
    "E636": Page(
        "The device refused a request.",
        "Flash the firmware of this model and version; report it if that does not help.",
    ),
    "E637": Page(
        "The device's counter does not run, so that nothing can be profiled.",
        "Name another counter in the board file; emulators have no DWT cycle counter.",
    ),
    "E638": Page(
        "The board's clock did not start; the firmware answers at the clock out of reset.",
        "Look at the supply and the oscillator of the step that the message names; "
        "`docs/boards.md` says what start-up does.",
    ),
    "E801": Page("The report was written by another version.", "Compile the model again."),
    "E900": Page("An unexpected exception.", "Report it with the output of `-vv`."),
    "E901": Page(
        "An op is registered under another name than its module's.",
        "Rename one of them.",
    ),
    "E902": Page(
        "The installation lacks files, or a generated table is inconsistent.",
        "Install mcuc again; report it if that does not help.",
    ),
    "E903": Page("Generated code is recursive, so that its stack has no bound.", "Report it."),
    "E904": Page("A pass failed.", "Report it."),
    "E905": Page(
        "Reading an operator of an .onnx file failed in a way that no check foresaw.",
        "Report it with the model; the message names the operator.",
    ),
    "E910": Page("The memory plan is wrong.", "Report it."),
    "E911": Page("An op's reference gives another type than it declares.", "Report it."),
    "E920": Page("A graph has values that do not exist or do not fit their types.", "Report it."),
    "E921": Page("A graph is not in execution order, or computes a value twice.", "Report it."),
    "E922": Page("A graph's types are not those that its operators infer.", "Report it."),
}

# Title of a section of the page -> the codes in it, by first letters.
SECTIONS = {
    "The command line, the model file and data": ("E1",),
    "Quantization": ("E2",),
    "Kernels, schedules, memory": ("E3", "E4"),
    "Tools": ("E5",),
    "Boards and devices": ("E6",),
    "Results and reports": ("E7", "E8"),
    "Bugs in mcuc": ("E9",),
}

_HEAD = """\
# Error codes

Every error has a code, says what happened and where (operator number and tensor name of the model
file), why, and what to do. All problems that a stage finds are listed at once. `mcuc explain CODE`
prints the entry of a code. The first digit tells whose problem it is, and so does the exit status.

| codes | about | exit status |
| --- | --- | --- |
| E100 | the command line | 2 |
| E1xx | the model file, input data, options | 1 |
| E2xx | quantization parameters | 1 |
| E3xx | kernels and schedules | 1 |
| E4xx | memory | 4 |
| E50x, E54x | compilers, emulators and other tools | 5 |
| E52x | the port to a device | 5 |
| E60x | boards | 1 |
| E61x | the device faulted or did not answer | 7 |
| E62x | the device did not finish or answer in time | 6 |
| E63x | the device answered, but not as it has to | 7 |
| E8xx | reports | 1 |
| E9xx | a bug in mcuc: please report it, with the model if you can | 70 |

Results that differ between places, and gates that fail, are no errors but results: the report
holds them, and the exit status is 3.
"""


def markdown() -> str:
    """docs/errors.md."""
    lines = [_HEAD]
    for title, letters in SECTIONS.items():
        rows = [f"| {code} | {p.meaning} | {p.remedy} |" for code, p in CODES.items()
                if code.startswith(letters)]  # fmt: skip
        lines += [f"## {title}", "", "| code | meaning | what to do |", "| --- | --- | --- |"]
        lines += [*rows, ""]
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown(), end="")
