/** Tags as a tree to choose from, and tags for the palette: those that the page knows, and what the host finds. */
import { effect, type ReadonlySignal, signal, untracked, useSignal } from '@preact/signals';
import { byName, Dialog, Icon } from '@insight-host/kit';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { getJson } from '../data/http';
import type { CatalogAnswer } from '../live/tags';
import { type Page, usePage } from '../state/page';
import type { Tab } from '../state/session';
import { lateTexts } from '../i18n/texts';
import { tags as en } from '../locales/en.json';
import { tags as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });

const SETTLE = 120; // ms without a key before the host is asked
const SHORTEST = 2; // characters for which the host is asked

export interface FoundTag {
  readonly tab: Tab;
  readonly tag: string;
}

const withTags = (page: Page): readonly Tab[] => page.tabs.value.filter((tab) => tab.enabled && tab.tag_state);

export function knownTags(page: Page): readonly FoundTag[] {
  return withTags(page).flatMap((tab) => (page.tags.known(tab.name) ?? []).map((tag) => ({ tab, tag })));
}

/** A regular expression that matches this tag only, or with `below` what begins with it. */
export function patternOf(tag: string, below = false): string {
  return `^${tag.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}${below ? '' : '$'}`;
}

/** Asks the host for tags of tabs whose tags the page does not have; ends with the signal. */
export function tagsOfHost(
  page: Page,
  query: ReadonlySignal<string>,
  ended: AbortSignal,
): ReadonlySignal<readonly FoundTag[]> {
  const found = signal<readonly FoundTag[]>([]);
  const stop = effect(() => {
    // the longest word: the palette looks for the others in what the host finds
    const word = query.value.split(/\s+/).reduce((best, each) => (each.length > best.length ? each : best), '');
    const tabs = untracked(() => withTags(page).filter((tab) => page.tags.known(tab.name) === null));
    if (word.length < SHORTEST || tabs.length === 0) {
      found.value = [];
      return;
    }
    const request = new AbortController();
    const timer = setTimeout(() => {
      void Promise.all(
        tabs.map(async (tab) => {
          const asked = { plugin: tab.name, q: word, columns: 'plugin' };
          const answer = await getJson<CatalogAnswer>('data/catalog', asked, request.signal).catch(() => null);
          return (answer?.tags ?? []).map((tag) => ({ tab, tag }));
        }),
      ).then((lists) => {
        if (!request.signal.aborted) found.value = lists.flat();
      });
    }, SETTLE);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  });
  ended.addEventListener('abort', stop);
  return found;
}

const MOST_SHOWN = 500; // lines; the others are found by their names

interface TagNode {
  /** What stands in the line: `loss`, or `train` with what is below. */
  readonly name: string;
  /** The tag, or with nodes below what their tags begin with: `train/`. */
  readonly path: string;
  readonly count: number;
  readonly below: readonly TagNode[];
}

/** Names in numeric order; a tag `a` and tags `a/…` are two lines. */
export function treeOf(tags: readonly string[], prefix = ''): readonly TagNode[] {
  const groups = new Map<string, string[]>();
  const leaves: TagNode[] = [];
  for (const tag of tags) {
    const cut = tag.indexOf('/', prefix.length);
    if (cut < 0) leaves.push({ name: tag.slice(prefix.length), path: tag, count: 1, below: [] });
    else {
      const path = tag.slice(0, cut + 1);
      const group = groups.get(path);
      if (group) group.push(tag);
      else groups.set(path, [tag]);
    }
  }
  const nodes = [...groups].map(([path, below]) => ({
    name: path.slice(prefix.length, -1),
    path,
    count: below.length,
    below: treeOf(below, path),
  }));
  return [...nodes, ...leaves].sort((one, other) => byName(one.name, other.name));
}

interface Line {
  readonly node: TagNode;
  readonly level: number;
}

function linesOf(nodes: readonly TagNode[], open: ReadonlySet<string>, level = 1): readonly Line[] {
  return nodes.flatMap((node) => [
    { node, level },
    ...(node.below.length > 0 && open.has(node.path) ? linesOf(node.below, open, level + 1) : []),
  ]);
}

/** The tags of a tab as a tree: what stands between their slashes, part by part. */
export function TagTree({ plugin }: { readonly plugin: string }) {
  const page = usePage();
  const t = page.t.value;
  const close = (): void => void (page.dialog.value = null);
  const tags = page.tags.known(plugin);
  useEffect(() => {
    if (tags === null) void page.tags.of(plugin).ask();
  }, [plugin]);
  const nodes = useMemo(() => treeOf(tags ?? []), [tags]);
  const failure = page.tags.of(plugin).failure.value;
  return (
    <Dialog name="tags" title={words(page, 'tags.tree')} close={t('close')} onClose={close}>
      {tags === null && failure && (
        <p class="ih-error-message" role="alert">
          {failure}
        </p>
      )}
      {tags?.length === 0 && <p class="ih-muted">{words(page, 'tags.none')}</p>}
      <Tree page={page} nodes={nodes} onOpen={(node) => show(page, plugin, node, close)} />
    </Dialog>
  );
}

/** Brings the tab of a plugin to the front with the tags that a regular expression matches. */
export function openTags(page: Page, tab: Tab, pattern: string): void {
  page.openAt(tab.name, tab.tag_state ?? {}, { pattern });
}

function show(page: Page, plugin: string, { path, below }: TagNode, close: () => void): void {
  close();
  const tab = page.tabs.peek().find((one) => one.name === plugin);
  if (tab) openTags(page, tab, patternOf(path, below.length > 0));
}

interface TreeProps {
  readonly page: Page;
  readonly nodes: readonly TagNode[];
  readonly onOpen: (node: TagNode) => void;
}

/** Arrows move, open and close; Enter shows the tags. */
function Tree({ page, nodes, onOpen }: TreeProps) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const active = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const lines = linesOf(nodes, open.value);
  const shown = lines.slice(0, MOST_SHOWN);
  const turn = ({ path }: TagNode, on: boolean): void => {
    const next = new Set(open.value);
    if (on) next.add(path);
    else next.delete(path);
    open.value = next;
  };
  useEffect(() => queueMicrotask(() => list.current?.focus()), [nodes.length > 0]); // the dialog opens after this
  useEffect(() => list.current?.children[active.value]?.scrollIntoView({ block: 'nearest' }), [active.value]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const line = shown[active.value];
    if (!line) return;
    const { node, level } = line;
    const isOpen = open.value.has(node.path);
    const go = (to: number): void => void (active.value = Math.max(0, Math.min(shown.length - 1, to)));
    if (event.key === 'ArrowDown') go(active.value + 1);
    else if (event.key === 'ArrowUp') go(active.value - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(shown.length - 1);
    else if (event.key === 'ArrowRight' && isOpen) go(active.value + 1);
    else if (event.key === 'ArrowRight') turn(node, node.below.length > 0);
    else if (event.key === 'ArrowLeft' && isOpen) turn(node, false);
    else if (event.key === 'ArrowLeft')
      go(shown.findLastIndex((other, at) => at < active.value && other.level < level));
    else if (event.key === 'Enter') onOpen(node);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div
        ref={list}
        class="ih-tag-tree"
        role="tree"
        tabIndex={0}
        aria-label={words(page, 'tags.tree')}
        aria-activedescendant={shown.length ? `tag-line-${active.value}` : undefined}
        onKeyDown={onKeyDown}
      >
        {shown.map(({ node, level }, at) => (
          <div
            key={`${node.path} ${level}`}
            id={`tag-line-${at}`}
            role="treeitem"
            aria-level={level}
            aria-selected={at === active.value}
            aria-expanded={node.below.length > 0 ? open.value.has(node.path) : undefined}
            class="ih-tag-line"
            style={{ paddingLeft: `${level * 18 - 8}px` }}
            title={node.path}
            onClick={() => {
              active.value = at;
              if (node.below.length > 0) turn(node, !open.value.has(node.path));
              else onOpen(node);
            }}
            onDblClick={() => onOpen(node)}
          >
            <span class="ih-tag-fold">
              {node.below.length > 0 && <Icon name={open.value.has(node.path) ? 'open' : 'closed'} />}
            </span>
            <span class="ih-palette-label">{node.name || '/'}</span>
            {node.below.length > 0 && (
              <button
                type="button"
                class="ih-button ih-quiet ih-small"
                tabIndex={-1}
                title={words(page, 'tags.show', { path: node.path })}
                onClick={(event) => {
                  event.stopPropagation();
                  onOpen(node);
                }}
              >
                {node.count.toLocaleString(page.preferences.locale.value)}
              </button>
            )}
          </div>
        ))}
      </div>
      {lines.length > shown.length && (
        <p class="ih-muted">{words(page, 'tags.more', { count: lines.length - shown.length })}</p>
      )}
      <p class="ih-muted">{words(page, 'tags.hint')}</p>
    </>
  );
}
