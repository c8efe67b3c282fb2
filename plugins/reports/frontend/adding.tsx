/** What is added between blocks, and the menu of each block. */
import type { CardSpec } from '@insight-host/api';
import { Button, cardId, codecs, Dialog, message, Menu, Popover, type MenuItem } from '@insight-host/kit';
import { menuItems } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ReportParts } from './board';
import { findingChoices } from './findings';
import { type Block, fenceOf } from './report';

interface Props {
  readonly board: ReportParts;
}

/** Something that a dialog offers, and the card that it becomes. */
export interface Choice {
  readonly key: string;
  readonly text: string;
  readonly detail: string;
  readonly card: CardSpec;
}

type Chosen = 'chart' | 'finding' | 'view';

interface AddBlockProps extends Props {
  /** The place at the end shows by words what can be added. */
  readonly isLast?: boolean;
  readonly onAdd: (texts: readonly string[]) => void;
}

const PLUS = (
  <svg class="ih-icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M8 3v10M3 8h10" />
  </svg>
);

/** The button between two blocks that adds one there. */
export function AddBlock({ board, isLast = false, onAdd }: AddBlockProps): JSX.Element {
  const { t: say } = board.page;
  const isOpen = useSignal(false);
  const choosing = useSignal<Chosen | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => void (isOpen.value = false);
  const choose = (kind: Chosen): MenuItem => ({
    action: `add-${kind}`,
    text: say(`kind.${kind}`),
    onPress: () => void (choosing.value = kind),
  });
  const items: readonly MenuItem[] = [
    { action: 'add-text', text: say('kind.text'), onPress: () => onAdd(['']) },
    choose('chart'),
    { action: 'add-runs', text: say('kind.runs'), onPress: () => onAdd([fenceOf(runsCard(board))]) },
    choose('finding'),
    choose('view'),
  ];
  return (
    <>
      <div class={isLast ? 'add words' : 'add'}>
        {isLast ? (
          items.map(({ action, text, onPress }) => (
            <button key={action} type="button" class="tool text" data-action={action} onClick={onPress}>
              {PLUS} {text}
            </button>
          ))
        ) : (
          <Button
            action="add-block"
            icon={PLUS}
            label={say('add.block')}
            expanded={isOpen.value}
            element={button}
            onPress={() => (isOpen.value = !isOpen.value)}
          />
        )}
        {isOpen.value && (
          <Popover anchor={button} class="menu" role="menu" label={say('add.block')} side="below-left" onClose={close}>
            {menuItems(items, close)}
          </Popover>
        )}
      </div>
      {choosing.value && (
        <Chooser
          board={board}
          kind={choosing.value}
          onClose={() => (choosing.value = null)}
          onChoose={(cards) => {
            choosing.value = null;
            onAdd(cards.map(fenceOf));
          }}
        />
      )}
    </>
  );
}

interface ChooserProps extends Props {
  readonly kind: Chosen;
  readonly onClose: () => void;
  readonly onChoose: (cards: readonly CardSpec[]) => void;
}

const MOST_LISTED = 200;

/** A dialog that finds charts, findings or saved views, and adds those that are ticked. */
function Chooser({ board, kind, onClose, onChoose }: ChooserProps): JSX.Element {
  const { t: say } = board.page;
  const all = useSignal<readonly Choice[] | null>(null);
  const failure = useSignal('');
  const wanted = useSignal('');
  const ticked = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => {
    choicesOf(board, kind).then(
      (found) => (all.value = found),
      (cause: unknown) => (failure.value = message(cause)),
    );
  }, []);
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (all.value ?? []).filter(({ text, detail }) =>
    words.every((word) => `${text} ${detail}`.toLowerCase().includes(word)),
  );
  const chosen = (all.value ?? []).filter(({ key }) => ticked.value.has(key));
  const tick = (key: string): void => {
    const next = new Set(ticked.value);
    if (!next.delete(key)) next.add(key);
    ticked.value = next;
  };
  return (
    <Dialog
      name={`add-${kind}`}
      title={say(`add.${kind}`)}
      onClose={onClose}
      onSubmit={() => {
        const wanted = chosen.length === 0 && found.length === 1 ? found : chosen;
        if (wanted.length > 0) onChoose(wanted.map(({ card }) => card));
      }}
      foot={
        <button type="submit" class="primary" data-action="add" disabled={chosen.length === 0 && found.length !== 1}>
          {say(`add.${kind}.verb`, { count: Math.max(1, chosen.length) })}
        </button>
      }
    >
      <div class="choose-block">
        <input
          type="search"
          autofocus
          data-control="choose"
          aria-label={say(`add.${kind}.search`)}
          placeholder={say(`add.${kind}.search`)}
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        {failure.value && (
          <p class="problem" role="alert">
            {failure.value}
          </p>
        )}
        <ul aria-busy={all.value === null && !failure.value}>
          {found.slice(0, MOST_LISTED).map(({ key, text, detail }) => (
            <li key={key}>
              <label>
                <input type="checkbox" checked={ticked.value.has(key)} onChange={() => tick(key)} />
                <span class="name">{text}</span>
                <span class="detail">{detail}</span>
              </label>
            </li>
          ))}
        </ul>
        {all.value && found.length === 0 && (
          <p class="hint">{say(words.length > 0 ? 'add.no_match' : `add.${kind}.none`)}</p>
        )}
        {found.length > MOST_LISTED && <p class="hint">{say('add.more', { count: found.length - MOST_LISTED })}</p>}
      </div>
    </Dialog>
  );
}

interface Offered {
  readonly charts: readonly { readonly plugin: string; readonly tag: string }[];
  readonly views: readonly { readonly name: string; readonly state: Readonly<Record<string, string>> }[];
}

async function choicesOf(board: ReportParts, kind: Chosen): Promise<readonly Choice[]> {
  const { ctx, t: say } = board.page;
  if (kind === 'finding') return findingChoices(ctx);
  const { charts, views } = await ctx.data.json<Offered>('choices');
  if (kind === 'chart')
    return charts.map(({ plugin, tag }) => ({
      key: tag,
      text: tag,
      detail: '',
      card: { plugin, card: cardId({ tag, run: null }), state: stateNow(board, plugin) },
    }));
  const here = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return [...views, { name: say('view.now'), state: here }].map(({ name, state }) => ({
    key: name,
    text: name,
    detail: '',
    card: { plugin: ctx.name, card: 'view', state: { 'reports.view': JSON.stringify({ name, state }) } },
  }));
}

const KEPT = ['runs', 'color', 'group', 'dash', 'colors', 'palette', 'scale', 'shades'];

/** The runs and the looks of the page as it is now, as a card of the plugin keeps them. */
function stateNow({ page }: ReportParts, plugin: string): Readonly<Record<string, string>> {
  const { runs } = page.ctx;
  const all = [...new URLSearchParams(location.hash.slice(1))];
  const own = all.filter(([key]) => KEPT.includes(key) || key.startsWith(`${plugin}.`));
  const state = Object.fromEntries(own);
  if (runs.filter.value === '') return state;
  const names = codecs.names.format(runs.selected.value.map(({ name }) => name));
  return { ...state, runs: names ?? '' }; // only the run list evaluates a filter: the card keeps its outcome
}

function runsCard(board: ReportParts): CardSpec {
  const { name } = board.page.ctx;
  const state = Object.entries(stateNow(board, name)).filter(([key]) => !key.startsWith(`${name}.`));
  return { plugin: name, card: 'runs', state: Object.fromEntries(state) };
}

interface BlockMenuProps extends Props {
  readonly block: Block;
  readonly canEdit: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onEdit: () => void;
  readonly onMove: (by: number) => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}

/** What can be done with a block. */
export function BlockMenu(props: BlockMenuProps): JSX.Element {
  const { board, block, canEdit, isFirst, isLast } = props;
  const { t: say, ctx } = board.page;
  const items = (): readonly MenuItem[] => {
    const card = block.kind === 'card' ? block.card : null;
    const found: (MenuItem | false)[] = [
      card !== null &&
        card.plugin !== ctx.name && { action: 'open-tab', text: say('card.open'), onPress: () => open(card) },
      canEdit && card === null && { action: 'edit-block', text: say('block.edit'), onPress: props.onEdit },
      canEdit && !isFirst && { action: 'move-up', text: say('block.up'), onPress: () => props.onMove(-1) },
      canEdit && !isLast && { action: 'move-down', text: say('block.down'), onPress: () => props.onMove(1) },
      canEdit && { action: 'duplicate', text: say('block.duplicate'), onPress: props.onDuplicate },
      canEdit && { action: 'remove-block', text: say('block.remove'), onPress: props.onRemove },
    ];
    return found.filter((item) => item !== false);
  };
  const open = ({ plugin, state }: CardSpec): void => {
    const own = Object.entries(state).filter(([key]) => key.startsWith(`${plugin}.`));
    ctx.open(plugin, Object.fromEntries(own.map(([key, value]) => [key.slice(plugin.length + 1), value])));
  };
  if (items().length === 0) return <></>;
  return (
    <div class="block-tools">
      <Menu action="block-menu" icon="more" label={say('block.menu')} items={items} />
    </div>
  );
}
