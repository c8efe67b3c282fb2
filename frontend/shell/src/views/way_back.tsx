/** The way back after a jump from one tab to another: a chip over the content, until that tab is in front again. */
import { Icon } from '@insight-host/kit';
import { effect, signal, untracked } from '@preact/signals';
import { render } from 'preact';
import { lateTexts } from '../i18n/texts';
import { way_back as en } from '../locales/en.json';
import { way_back as zh } from '../locales/zh-CN.json';
import type { Page } from '../state/page';
import { addStyles } from './parts';
import styles from './way_back.css?inline';

const words = lateTexts({ en, 'zh-CN': zh });

interface WayBack {
  /** The tab that it leads to. */
  readonly to: string;
  readonly text: string;
  /** All that the address said there. */
  readonly before: ReadonlyMap<string, string>;
}

const way = signal<WayBack | null>(null);
let isDrawn = false;

/** Offers to go back from the tab that is in front now; one way at a time. */
export function offer(page: Page, to: WayBack): void {
  way.value = to;
  if (isDrawn) return;
  isDrawn = true;
  addStyles(styles);
  const host = document.body.appendChild(document.createElement('div'));
  render(<Chip page={page} />, host);
  let stop: (() => void) | undefined;
  effect(() => {
    const { value: open } = way;
    const isThere = open !== null && page.front.value?.name === open.to; // by Back, or by its tab
    untracked(() => {
      stop?.();
      stop = undefined;
      if (isThere) way.value = null;
      else if (open)
        stop = page.shortcuts.add({
          key: 'Backspace',
          description: words(page, 'back'),
          run: () => go(page),
          owner: '',
        });
    });
  });
}

function go(page: Page): void {
  const { value: open } = way;
  way.value = null;
  if (open) page.url.replaceAll(open.before);
}

function Chip({ page }: { readonly page: Page }) {
  const { value: open } = way;
  if (!open) return null;
  return (
    <div class="ih-way-back" role="status">
      <button type="button" data-action="way-back" title={words(page, 'back')} onClick={() => go(page)}>
        <Icon name="back" /> {open.text}
      </button>
      <button
        type="button"
        data-action="way-back-close"
        aria-label={words(page, 'stay')}
        title={words(page, 'stay')}
        onClick={() => void (way.value = null)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
