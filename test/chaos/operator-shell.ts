// Runs the commands that it receives, one after the other, in one process. A thousand processes would take minutes.
interface CommandLine {
  runCommandLine: (args: string[], env: NodeJS.ProcessEnv) => Promise<number>;
}

const [, , program = ''] = process.argv;
const { runCommandLine } = (await import(program)) as CommandLine;
let last = Promise.resolve();

process.on('message', (args: string[]) => {
  last = last.then(async () => void process.send?.(await runCommandLine(args, process.env)));
});
process.on('disconnect', () => process.exit());
