import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { STAND_INS } from './stand-ins.js';

const docs = fileURLToPath(new URL('../../../docs', import.meta.url));
const DOCUMENT = 'console-pictures.md';
const FOLDER = 'images/console';

/** The captions of the document of pictures, by the names of the pictures. */
export function picturesShown(): string[] {
  const text = readFileSync(path.join(docs, DOCUMENT), 'utf8');
  return [...text.matchAll(/\]\(images\/console\/([\w-]+)\.webp\)/g)].map(([, name = '']) => name);
}

const fileOf = (name: string): string => path.join(docs, FOLDER, `${name}.webp`);

/** Whether `npm run pictures` runs, which makes the pictures again. */
const kept = new Set(process.env.CONSOLE_GALLERY ? picturesShown() : []);

/** Pictures show whole pages up to this height. */
const TALLEST = 800;
/** The quality of a picture. It is lower for large pictures. */
const QUALITIES = [50, 40, 30, 20];
const LARGEST_BYTES = 44 * 1024;
/** The share of a picture that may differ before it counts as changed, such as a few digits of a counter. */
const NEARLY_EQUAL = 0.0003;

/**
 * Saves a picture of the current page if the document of pictures has this name. A nearly equal picture is not replaced, so
 * that only real changes change files.
 */
export async function keepForDocument(page: Page, name: string): Promise<void> {
  if (!kept.has(name)) return;
  const size = page.viewportSize();
  if (!size) return;
  const isDialog = (await page.getByRole('dialog').count()) > 0;
  const whole = isDialog ? size.height : await page.evaluate<number>('document.documentElement.scrollHeight');
  const height = Math.min(Math.max(size.height, whole), TALLEST);
  if (height !== size.height) await page.setViewportSize({ ...size, height });
  const taken = await smallScreenshot(page);
  if (height !== size.height) await page.setViewportSize(size);

  const file = fileOf(name);
  const browser = page.context().browser();
  if (existsSync(file) && browser && (await areNearlyEqual(browser, readFileSync(file), taken))) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, taken);
}

interface StandIns {
  put(): void;
  isKept(): boolean;
  takeBack(): void;
}

/** The page goes on meanwhile, such as with growing ages. Such a text would appear in the picture. */
const TRIES = 10;

async function smallScreenshot(page: Page): Promise<Buffer> {
  let taken = Buffer.alloc(0);
  for (const quality of QUALITIES) {
    taken = await screenshot(page, quality);
    if (taken.length <= LARGEST_BYTES) break;
  }
  return taken;
}

async function screenshot(page: Page, quality: number): Promise<Buffer<ArrayBuffer>> {
  const devtools = await page.context().newCDPSession(page);
  const words = await page.evaluateHandle<StandIns>(STAND_INS);
  let picture = '';
  for (let left = TRIES, isKept = false; left > 0 && !isKept; left -= 1) {
    await words.evaluate((each) => each.put());
    picture = (await devtools.send('Page.captureScreenshot', { format: 'webp', quality })).data;
    isKept = await words.evaluate((each) => {
      const were = each.isKept();
      each.takeBack();
      return were;
    });
  }
  await devtools.detach();
  return Buffer.from(picture, 'base64');
}

async function areNearlyEqual(browser: Browser, one: Buffer, other: Buffer): Promise<boolean> {
  if (one.equals(other)) return true;
  const page = await browser.newPage();
  const [before, now] = [one, other].map((each) => `'data:image/webp;base64,${each.toString('base64')}'`);
  const share = await page.evaluate<number>(`(async () => {
    const pixels = async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      return canvas.getImageData(0, 0, image.width, image.height);
    };
    const [before, now] = [await pixels(${before}), await pixels(${now})];
    if (before.width !== now.width || before.height !== now.height) return 1;
    let different = 0;
    for (let at = 0; at < now.data.length; at += 4)
      if ([0, 1, 2].some((color) => Math.abs(before.data[at + color] - now.data[at + color]) > 48)) different += 1;
    return different / (now.width * now.height);
  })()`);
  await page.close();
  return share <= NEARLY_EQUAL;
}
