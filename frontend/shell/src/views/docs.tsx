/** The documentation that comes with the host: its pages in the palette, and one of them, in English, in a dialog. */
import type { Locale } from '@insight-host/api';
import { Dialog, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { getJson, getText } from '../data/http';
import { lateTexts } from '../i18n/texts';
import { docs as en } from '../locales/en.json';
import { docs as zh } from '../locales/zh-CN.json';
import { type Page, usePage } from '../state/page';
import { addStyles } from './parts';
import styles from './docs.css?inline';

export const words = lateTexts({ en, 'zh-CN': zh });

/** A page of the documentation: where it is below `docs/`, its title and what it is about. */
export interface DocPage {
  readonly path: string;
  readonly titles: Readonly<Record<Locale, { readonly title: string; readonly about: string }>>;
}

export const titlesIn = ({ preferences }: Page, { titles }: DocPage): DocPage['titles']['en'] =>
  titles[preferences.locale.value];

addStyles(styles);

const AT = 'static/docs/';
const HERE = 'https://docs.invalid/'; // stands for links between pages: others than to the web are taken out

let listed: Promise<readonly DocPage[]> | null = null;

/** Whether the page is a file without a host. */
export const isFile = (): boolean => 'snapshot' in document.documentElement.dataset;

/** All pages that the host has; none in a file without a host, or where the front end was built without them. */
export function docPages(): Promise<readonly DocPage[]> {
  if (isFile()) return Promise.resolve([]);
  listed ??= getJson<readonly DocPage[]>(`${AT}index.json`).catch(() => {
    listed = null; // the host is away: again with the next palette
    return [];
  });
  return listed;
}

const LINK = /(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^()\s]+)\)/g;
const CODE = /(^```[\s\S]*?^```)/m;

/** The text of a page with links that `rendered` keeps: those to other pages that the host has. Code is left alone. */
export function linked(text: string, path: string, known: ReadonlySet<string>): string {
  const base = new URL(path, HERE);
  const turn = (whole: string, picture: string, name: string, to: string): string => {
    if (/^[a-z]+:/i.test(to)) return whole;
    const target = new URL(to, base).pathname.slice(1);
    return !picture && known.has(target) ? `[${name}](${HERE}${target})` : name;
  };
  return text
    .split(CODE)
    .map((part, at) => (at % 2 ? part : part.replace(LINK, turn)))
    .join('');
}

/** A page, or without a path the list of all. */
export function DocsDialog({ path }: { readonly path: string }) {
  const page = usePage();
  const pages = useSignal<readonly DocPage[]>([]);
  useEffect(() => void docPages().then((found) => (pages.value = found)), []);
  const open = (to: string): void => void (page.dialog.value = { kind: 'docs', path: to });
  const shown = pages.value.find((one) => one.path === path);
  return (
    <Dialog
      name="docs"
      title={shown ? titlesIn(page, shown).title : words(page, 'docs')}
      close={page.t.value('close')}
      onClose={() => (page.dialog.value = null)}
      foot={
        path !== '' && (
          <button type="button" data-action="all-docs" onClick={() => open('')}>
            {words(page, 'docs.all')}
          </button>
        )
      }
    >
      {path ? (
        <Text key={path} path={path} pages={pages.value} onOpen={open} />
      ) : (
        <ul class="ih-docs-list">
          {pages.value.map((one) => {
            const { title, about } = titlesIn(page, one);
            return (
              <li key={one.path}>
                <button type="button" class="ih-link" data-doc={one.path} onClick={() => open(one.path)}>
                  {title}
                </button>
                {about && <span class="ih-muted">{about}</span>}
              </li>
            );
          })}
        </ul>
      )}
    </Dialog>
  );
}

interface TextProps {
  readonly path: string;
  readonly pages: readonly DocPage[];
  readonly onOpen: (path: string) => void;
}

function Text({ path, pages, onOpen }: TextProps) {
  const place = useRef<HTMLDivElement>(null);
  const failure = useSignal('');
  useEffect(() => {
    if (pages.length === 0) return undefined;
    const ended = new AbortController();
    const load = async (): Promise<void> => {
      const [{ rendered, markdownStyles }, written] = await Promise.all([
        import('@insight-host/kit/markdown'),
        getText(AT + path, ended.signal),
      ]);
      const text = linked(written, path, new Set(pages.map((one) => one.path)));
      addStyles(markdownStyles);
      if (ended.signal.aborted) return;
      place.current?.replaceChildren(rendered(text));
    };
    load().catch((cause: unknown) => ended.signal.aborted || (failure.value = message(cause)));
    return () => ended.abort();
  }, [path, pages]);
  return (
    <>
      {failure.value && <p role="alert">{failure.value}</p>}
      <div
        ref={place}
        class="markdown ih-docs-text"
        lang="en"
        data-testid="doc"
        onClick={(event) => {
          const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>(`a[href^="${HERE}"]`);
          if (!link) return;
          event.preventDefault();
          onOpen(link.href.slice(HERE.length));
        }}
      />
    </>
  );
}
