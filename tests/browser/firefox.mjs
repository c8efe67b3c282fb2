// Opens pages one after the other in one headless Firefox, by WebDriver BiDi: `node firefox.mjs PLAN REPORT`.
//
// PLAN is JSON: {executable, patience (milliseconds), visits: [{url, content: {selector, text, painted}}]}.
// A page is ready when a visible element that the selector finds has the text and, if `painted` is not 0, a picture of which more
// than this share is not background. Each page is left and opened a second time.
// REPORT is JSON, for each visit: {errors, text, scripts: [[url, bytes over the network]]}, of the second load, and
// `before`, the scripts of the first; errors are of both.

import { readFile, writeFile } from 'node:fs/promises';
import puppeteer from 'puppeteer-core';

const [planned, reported] = process.argv.slice(2);
const { executable, patience, visits } = JSON.parse(await readFile(planned, 'utf8'));

/** Runs in the page. */
function scripts() {
  return performance
    .getEntriesByType('resource')
    .filter((entry) => entry.name.endsWith('.js'))
    .map((entry) => [entry.name, entry.transferSize]);
}

/** Runs in the page. */
function shows({ selector, text, painted }) {
  const share = (picture) => {
    if (picture.width === 0 || picture.height === 0) return 0;
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
    context.drawImage(picture, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, picture.width, picture.height).data.buffer);
    const counts = new Map();
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    return 1 - Math.max(...counts.values()) / pixels.length;
  };
  const isShown = (element) => element.checkVisibility() && element.textContent.includes(text);
  const isPainted = (element) =>
    [...element.querySelectorAll('canvas, img')].some((picture) => share(picture) > painted);
  const found = [...document.querySelectorAll(selector)].filter(isShown);
  return painted === 0 ? found.length > 0 : found.some(isPainted);
}

async function load(page, { url, content }) {
  await page.goto('about:blank');
  await page.goto(url, { timeout: patience });
  await page.waitForFunction(shows, { timeout: patience, polling: 50 }, content);
  // what the page imports when it is idle: an import that is left is an error; the stream of events stays open
  await page.waitForNetworkIdle({ idleTime: 300, concurrency: 1, timeout: patience });
}

/** Runs in the page, before its own code: the console has errors as text with their place, not as objects. */
function speak() {
  const { error } = console;
  const text = (value) => (value instanceof Error ? `${value}\n${value.stack}` : String(value));
  console.error = (...values) => error.call(console, values.map(text).join(' '));
}

async function visit(browser, wanted) {
  const page = await browser.newPage();
  await page.evaluateOnNewDocument(speak);
  const errors = [];
  let before = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  try {
    await load(page, wanted);
    before = (await page.evaluate(scripts)).map(([name]) => name);
    await load(page, wanted);
  } catch (error) {
    errors.push(`${error}: ${JSON.stringify(wanted)}`);
  }
  const text = await page.evaluate(() => document.body.innerText);
  const report = { errors, text, scripts: await page.evaluate(scripts), before };
  await page.close();
  return report;
}

const browser = await puppeteer.launch({
  browser: 'firefox',
  executablePath: executable,
  timeout: patience,
  protocolTimeout: 2 * patience,
  defaultViewport: { width: 1280, height: 800 },
});
try {
  const reports = [];
  for (const wanted of visits) reports.push(await visit(browser, wanted));
  await writeFile(reported, JSON.stringify(reports));
} finally {
  await browser.close();
}
