// tileglu: gated MLPs from the shell.
#include <exception>
#include <new>
#include <string>

#include "console.hpp"
#include "commands.hpp"
#include "tileglu/version.hpp"

int main(int argc, char** argv) {
  using namespace tileglu::cli;
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
      "\n"
      "Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 3 the machine, the device or the build lacks something.\n"
      "`tileglu COMMAND --help` has the options of a command, with examples.\n");

  action chosen;
  add_run(app, chosen);
  add_check(app, chosen);
  add_bench(app, chosen);
  add_plan(app, chosen);
  add_pack(app, chosen);
  add_info(app, chosen);
  try {
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? success : bad_usage;
  } catch (const std::bad_alloc&) {
    return fail(tileglu::status(tileglu::status_code::out_of_memory, "this machine has too little memory for what was asked for"));
  } catch (const std::exception& e) {
    return fail(tileglu::status(tileglu::status_code::internal, e.what()));
  }
}
