/** The blocks of a report as they are shown and edited: texts, cards, and what stands around each. */
import type { CardSpec } from '@insight-host/api';
import { drag, Icon, message } from '@insight-host/kit';
import { showWithFormulas } from '@insight-host/kit/markdown';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { AddBlock, BlockMenu } from './adding';
import type { ReportParts } from './board';
import { type Block, blockOf, definitionsOf, fenceOf, moved } from './report';

interface Props {
  readonly board: ReportParts;
}

interface BlocksProps extends Props {
  readonly blocks: readonly Block[];
  readonly canEdit: boolean;
}

/** What can be done with the block at a place. */
interface Place {
  readonly at: number;
  readonly count: number;
}

const FOCUSED = 'section[data-block]';

/** All blocks of a report, with places between them to add more where it can be edited. */
export function Blocks({ board, blocks, canEdit }: BlocksProps): JSX.Element {
  const root = useRef<HTMLElement>(null);
  const target = useSignal<number | null>(null); // where the block that is dragged would go
  const definitions = useMemo(() => definitionsOf(blocks), [blocks]);
  const focus = (at: number): void =>
    void requestAnimationFrame(() => root.current?.querySelectorAll<HTMLElement>(FOCUSED)[at]?.focus());
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= blocks.length || to === from) return;
    board.changeBlocks(moved(blocks, from, to));
    focus(to);
  };
  const add = (at: number, texts: readonly string[]): void => {
    const made = texts.map((text) => blockOf(text));
    if (made.length === 1 && made[0]?.text === '') {
      // a text without a word is no block yet: it becomes one when something is typed
      board.blocks.value = blocks.toSpliced(at, 0, made[0]);
      board.edited.value = made[0].id;
    } else {
      board.changeBlocks(blocks.toSpliced(at, 0, ...made));
      focus(at);
    }
  };
  const startDrag = (event: PointerEvent, from: number): void => {
    const places = [...(root.current?.querySelectorAll<HTMLElement>(FOCUSED) ?? [])];
    drag(event, {
      move: ({ clientY }) => {
        const after = places.findIndex((place) => {
          const { top, height } = place.getBoundingClientRect();
          return clientY < top + height / 2;
        });
        target.value = after === -1 ? places.length : after;
        places[after === -1 ? places.length - 1 : after]?.scrollIntoView({ block: 'nearest' });
      },
      end: () => {
        const { value: to } = target;
        target.value = null;
        if (to !== null) move(from, to > from ? to - 1 : to);
      },
      cancel: () => (target.value = null),
    });
  };
  return (
    <article ref={root} class={canEdit ? 'report editable' : 'report'} data-testid="report">
      {blocks.map((block, at) => (
        <div key={block.id} class={target.value === at ? 'slot target' : 'slot'}>
          {canEdit && <AddBlock board={board} onAdd={(texts) => add(at, texts)} />}
          <BlockSection
            board={board}
            block={block}
            place={{ at, count: blocks.length }}
            canEdit={canEdit}
            definitions={definitions}
            onMove={(by) => move(at, at + by)}
            onDrag={(event) => startDrag(event, at)}
            onFocus={focus}
          />
        </div>
      ))}
      {canEdit && (
        <div class={target.value === blocks.length ? 'slot last target' : 'slot last'}>
          <AddBlock board={board} isLast onAdd={(texts) => add(blocks.length, texts)} />
        </div>
      )}
    </article>
  );
}

interface BlockSectionProps extends Props {
  readonly block: Block;
  readonly place: Place;
  readonly canEdit: boolean;
  readonly definitions: string;
  readonly onMove: (by: number) => void;
  readonly onDrag: (event: PointerEvent) => void;
  readonly onFocus: (at: number) => void;
}

function BlockSection(props: BlockSectionProps): JSX.Element {
  const { board, block, place, canEdit, onMove, onDrag, onFocus } = props;
  const { t: say } = board.page;
  const { at, count } = place;
  const isEdited = canEdit && board.edited.value === block.id;
  const edit = (): void => void (board.edited.value = block.id);
  const replace = (...next: readonly Block[]): void =>
    board.changeBlocks(board.blocks.peek().toSpliced(at, 1, ...next));
  const remove = (): void => {
    replace();
    onFocus(Math.min(at, count - 2));
  };
  const duplicate = (): void => {
    replace(block, blockOf(block.text));
    onFocus(at + 1);
  };
  const end = (text: string): void => {
    board.edited.value = null;
    if (text.trim() === '') return replace();
    if (text !== block.text) replace(blockOf(text.replace(/\s+$/, ''), block.gap));
    onFocus(at);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!canEdit || event.target !== event.currentTarget) return;
    const by = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
    if (by !== undefined) onMove(by);
    else if (event.key === 'Enter' && block.kind !== 'card') edit();
    else if (event.key === 'Delete') remove();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const kind = block.kind === 'card' && block.card.plugin !== board.page.ctx.name ? 'chart' : kindOf(block);
  return (
    <section
      class={`block ${block.kind}`}
      data-block={kind}
      data-testid="block"
      role="group"
      aria-label={say('block', { kind: say(`kind.${kind}`), at: at + 1, count })}
      {...(canEdit ? { tabIndex: 0, 'aria-keyshortcuts': 'Alt+ArrowUp Alt+ArrowDown Enter Delete' } : {})}
      onKeyDown={onKeyDown}
    >
      {canEdit && (
        <span class="handle" data-action="drag" title={say('drag')} aria-hidden="true" onPointerDown={onDrag}>
          ⠿
        </span>
      )}
      {block.kind === 'card' ? (
        <LiveCard key={block.text} board={board} card={block.card} />
      ) : isEdited ? (
        <TextField board={board} block={block} label={say('text')} onEnd={end} />
      ) : (
        <Written {...props} onEdit={canEdit ? edit : null} />
      )}
      {!board.isSnapshot && (canEdit || block.kind === 'card') && (
        <BlockMenu
          board={board}
          block={block}
          canEdit={canEdit}
          isFirst={at === 0}
          isLast={at === count - 1}
          onEdit={edit}
          onMove={onMove}
          onDuplicate={duplicate}
          onRemove={remove}
          onReplace={(card) => replace(blockOf(fenceOf(card), block.gap))}
        />
      )}
    </section>
  );
}

/** What the page calls a block: a text, a block that it cannot read, or one of its own cards. */
function kindOf(block: Block): string {
  if (block.kind !== 'card') return block.kind;
  return ['runs', 'finding', 'view'].includes(block.card.card) ? block.card.card : 'chart';
}

/** A text as readers see it, or a block that cannot be read as it stands in the text; a click edits it. */
function Written({
  board,
  block,
  definitions,
  onEdit,
}: BlockSectionProps & { readonly onEdit: (() => void) | null }): JSX.Element {
  const { t: say } = board.page;
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (host.current)
      showWithFormulas(host.current, block.text, { definitions, failed: (tex) => say('formula.failed', { tex }) });
  }, [block.text, definitions]);
  if (block.kind === 'damaged')
    return (
      <div class="unread">
        <p class="problem">{say('damaged')}</p>
        <pre>{block.text}</pre>
      </div>
    );
  const onClick = (event: MouseEvent): void => {
    const isLink = event.target instanceof Element && event.target.closest('a[href]');
    if (onEdit && !isLink && String(getSelection()) === '') onEdit();
  };
  return <div class="markdown" ref={host} title={onEdit ? say('text.edit') : undefined} onClick={onClick} />;
}

interface TextFieldProps extends Props {
  readonly block: Block;
  readonly label: string;
  readonly onEnd: (text: string) => void;
}

/** The Markdown of one block. Escape, Ctrl+Enter or a press elsewhere end it; what is typed survives the page. */
function TextField({ board, block, label, onEnd }: TextFieldProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const isOver = useRef(false);
  const fit = (): void => {
    const { current: area } = field;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight + 2}px`;
  };
  const end = (): void => {
    if (isOver.current) return;
    isOver.current = true;
    onEnd(field.current?.value ?? '');
  };
  useLayoutEffect(() => {
    const { current: area } = field;
    fit();
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);
  return (
    <textarea
      ref={field}
      class="block-text"
      data-control="block-text"
      aria-label={label}
      placeholder={board.page.t('text.hint')}
      spellcheck={false}
      defaultValue={block.text}
      onInput={(event) => {
        fit();
        board.typed(block.id, event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key !== 'Escape' && !(event.key === 'Enter' && (event.ctrlKey || event.metaKey))) return;
        event.preventDefault();
        event.stopPropagation();
        end();
      }}
      onBlur={end}
    />
  );
}

function LiveCard({ board, card }: Props & { readonly card: CardSpec }): JSX.Element {
  const { t: say, ctx } = board.page;
  const host = useRef<HTMLDivElement>(null);
  const failure = useSignal<string | null>(null);
  useEffect(
    () =>
      host.current ? ctx.showCard(card, host.current, (cause) => void (failure.value = message(cause))) : undefined,
    [],
  );
  return (
    <figure
      class={card.plugin === ctx.name ? 'live-card own' : 'live-card'}
      data-testid="live-card"
      data-card={card.card}
    >
      <div class="place" ref={host} hidden={failure.value !== null} />
      {failure.value !== null && (
        <div class="error-cell" role="alert">
          <Icon name="warn" />
          <strong>{say('card.failed', { card: card.card })}</strong>
          <span class="reason">{failure.value}</span>
        </div>
      )}
    </figure>
  );
}
