// Carries out the commands that it is sent, one after the other, in one process: to start a thousand takes minutes.
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
