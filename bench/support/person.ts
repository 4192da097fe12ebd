import type { Locator, Page } from 'playwright-core';

/** Seconds, of the keystroke-level model (Card, Moran and Newell, 1980): an average typist who knows the pages. */
const SECONDS = { key: 0.28, point: 1.1, button: 0.2, homing: 0.4, think: 1.35 };

/**
 * A person at the console. The person's time is computed by the keystroke-level model. The machine's time, of pages and browser, is
 * measured.
 */
export class Person {
  private humanSeconds = 0;
  private hand: 'keyboard' | 'mouse' = 'keyboard';
  private startedMs = performance.now();

  constructor(readonly page: Page) {}

  begin(): void {
    this.humanSeconds = 0;
    this.hand = 'keyboard';
    this.startedMs = performance.now();
  }

  /** @returns the seconds of the person, of the machine, and of both since {@link begin}. */
  end(): { person: number; machine: number; both: number } {
    const machine = (performance.now() - this.startedMs) / 1_000;
    return { person: this.humanSeconds, machine, both: this.humanSeconds + machine };
  }

  async press(...keys: string[]): Promise<void> {
    this.reach('keyboard');
    for (const key of keys) {
      this.humanSeconds += SECONDS.key;
      await this.page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    this.reach('keyboard');
    this.humanSeconds += SECONDS.key * text.length;
    await this.page.keyboard.insertText(text);
  }

  /** Pastes a text: two keys. */
  async paste(text: string): Promise<void> {
    this.reach('keyboard');
    this.humanSeconds += SECONDS.key * 2;
    await this.page.keyboard.insertText(text);
  }

  async click(what: Locator): Promise<void> {
    this.reach('mouse');
    this.humanSeconds += SECONDS.point + SECONDS.button;
    await what.click();
  }

  /** Chooses from a drop-down list: two clicks. */
  async choose(list: Locator, option: string): Promise<void> {
    this.reach('mouse');
    this.humanSeconds += 2 * (SECONDS.point + SECONDS.button);
    await list.selectOption(option);
  }

  /** Opens the dialog of files, finds one among others, and opens it. */
  async chooseFile(input: Locator, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    this.reach('mouse');
    this.humanSeconds += 3 * (SECONDS.point + SECONDS.button) + SECONDS.think;
    await input.setInputFiles(file);
  }

  /** Waits until something is shown, and reads it. @param thoughts the number of things to understand. */
  async read(what: Locator, thoughts = 1): Promise<void> {
    await what.waitFor();
    this.humanSeconds += SECONDS.think * thoughts;
  }

  private reach(hand: 'keyboard' | 'mouse'): void {
    if (this.hand !== hand) this.humanSeconds += SECONDS.homing;
    this.hand = hand;
  }
}
