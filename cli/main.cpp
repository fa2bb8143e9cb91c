// tileglu: gated MLPs from the shell.
#include <exception>
#include <new>
#include <sstream>
#include <string>

#include "commands.hpp"
#include "console.hpp"
#include "option_checks.hpp"
#include "tileglu/version.hpp"

int main(int argc, char** argv) {
  using namespace tileglu::cli;
  prepare_standard_streams();
  CLI::App app("tileglu computes Y = act(X Wg^T) * (X Wu^T), the gated MLP of language models, fused.");
  app.set_version_flag("--version", std::string(tileglu::version()));
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  tileglu run                                    a real checkpoint: every layer verified, timed, reported\n"
      "  tileglu info                                   what this machine can run, and why not the rest\n"
      "  tileglu plan 16x4864x896 --device h200         which kernel an H200 would run, and why\n"
      "  tileglu check 1,16,128x1536x576                are the results right? (exit code 1 where not)\n"
      "  tileglu bench 1,16x4864x896 --json             the kernels of this machine, in turns\n"
      "  tileglu pack --layout interleaved --out DIR    a checkpoint with its weights in another layout\n"
      "\n"
      "Exit codes:\n"
      "  0  done\n"
      "  1  a result was computed and is wrong\n"
      "  2  usage: an option, a problem or the content of a file that can't be used\n"
      "  3  not possible here: no such GPU or backend, a kernel or a model that can't be computed, too little memory, a failed device\n"
      "  4  a file, a folder or standard output can't be read or written\n"
      "  5  a defect of tileglu\n"
      "`tileglu COMMAND --help` has the options of a command, with examples.\n");

  action chosen;
  add_run(app, chosen);
  add_check(app, chosen);
  add_bench(app, chosen);
  add_plan(app, chosen);
  add_pack(app, chosen);
  add_info(app, chosen);
  int code = success;
  try {
    app.parse(argc, argv);
    code = chosen();
  } catch (const CLI::ParseError& e) {
    std::ostringstream words, ignored;
    if (e.get_exit_code() == 0 && app.exit(e, words, ignored) == 0)
      put(words.str());  // --help, --version
    else
      code = fail(tileglu::status(tileglu::status_code::invalid_argument, usage_error(app, e)));
  } catch (const std::bad_alloc&) {
    code = fail(tileglu::status(tileglu::status_code::out_of_memory, "this machine has too little memory for what was asked for"));
  } catch (const std::exception& e) {
    code = fail(tileglu::status(tileglu::status_code::internal, e.what()));
  }
  return finish(code);
}
