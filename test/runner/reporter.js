import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expectedSeconds } from './sequencer.js';

const SHOWN_EVERY_MS = 20_000;
const FEW = 5;
/** The share of the expected time after which it estimates the remaining time. */
const FORECAST_FROM = 0.1;

/** Jest's `reporter`: it prints failures at once, the progress of the run, and at the end the slowest suites. */
export default class ProgressReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
    this.startedAt = performance.now();
    this.shownAt = this.startedAt;
    this.suites = [];
    /** The sum of the expected seconds of suites that are done. */
    this.done = 0;
  }

  onRunStart({ numTotalTestSuites }) {
    this.total = numTotalTestSuites;
  }

  onTestFileResult({ path: file }, { numPassingTests, numFailingTests, perfStats, failureMessage }) {
    const suite = { name: path.relative(this.rootDir, file), seconds: (perfStats.runtime ?? 0) / 1000 };
    this.suites.push(suite);
    this.done += expectedSeconds.get(file) ?? 0;
    const mark = failureMessage ? '✘' : '✔';
    if (failureMessage || this.total <= FEW)
      this.print(
        `${mark} ${suite.name}: ${numPassingTests} passed, ${numFailingTests} failed in ${suite.seconds.toFixed(1)} s`,
      );
    if (failureMessage) this.print(failureMessage);
    if (this.total > FEW) this.showProgress();
  }

  onRunComplete(_contexts, results) {
    const { TEST_RESULTS_FILE: file } = process.env;
    if (file) writeFileSync(file, JSON.stringify(results));
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K');
    const seconds = (performance.now() - this.startedAt) / 1000;
    this.print(`${this.suites.length} ${this.suites.length === 1 ? 'suite' : 'suites'} in ${inWords(seconds)}`);
    if (this.total <= FEW) return;
    const slowest = this.suites.sort((one, other) => other.seconds - one.seconds).slice(0, 10);
    this.print(`longest: ${slowest.map(({ name, seconds: each }) => `${name} ${each.toFixed(0)} s`).join(', ')}`);
  }

  /** On a terminal one line that changes, otherwise a line from time to time. */
  showProgress() {
    const now = performance.now();
    const { isTTY } = process.stderr;
    if (!isTTY && now - this.shownAt < SHOWN_EVERY_MS) return;
    this.shownAt = now;
    const done = this.suites.length;
    const seconds = (now - this.startedAt) / 1000;
    const expected = [...expectedSeconds.values()].reduce((sum, each) => sum + each, 0);
    const share = this.done / expected;
    // A few suites say little about the others.
    const forecast = share < FORECAST_FROM ? '' : `, about ${inWords((seconds * (1 - share)) / share)} left`;
    const line = `${done} of ${this.total} suites, ${inWords(seconds)}${forecast}`;
    process.stderr.write(isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
  }

  print(text) {
    process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[2K' : ''}${text}\n`);
  }

  getLastError() {}
}

const inWords = (seconds) =>
  seconds < 60 ? `${seconds.toFixed(0)} s` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
