/** What is added between blocks, and the menu of each block. */
import type { CardSpec } from '@insight-host/api';
import { Button, Menu, Popover, type MenuItem } from '@insight-host/kit';
import { menuItems } from '@insight-host/kit/lab';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ReportParts } from './board';
import { Chooser, runsCard, withColumns, type Chosen } from './choosing';
import { type Block, fenceOf } from './report';

interface Props {
  readonly board: ReportParts;
}

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
  const choosing = useSignal<Exclude<Chosen, 'columns'> | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => void (isOpen.value = false);
  const choose = (kind: Exclude<Chosen, 'columns'>): MenuItem => ({
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
          onChoose={(chosen) => {
            choosing.value = null;
            onAdd(chosen.map(({ card }) => fenceOf(card)));
          }}
        />
      )}
    </>
  );
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
  /** Another card in its place. */
  readonly onReplace: (card: CardSpec) => void;
}

/** What can be done with a block. */
export function BlockMenu(props: BlockMenuProps): JSX.Element {
  const { board, block, canEdit, isFirst, isLast } = props;
  const { t: say, ctx } = board.page;
  const isChoosing = useSignal(false);
  const card = block.kind === 'card' ? block.card : null;
  const items = (): readonly MenuItem[] => {
    const found: (MenuItem | false)[] = [
      card !== null &&
        card.plugin !== ctx.name && { action: 'open-tab', text: say('card.open'), onPress: () => open(card) },
      canEdit && card === null && { action: 'edit-block', text: say('block.edit'), onPress: props.onEdit },
      canEdit &&
        card?.plugin === ctx.name &&
        card.card === 'runs' && {
          action: 'columns',
          text: say('block.columns'),
          onPress: () => void (isChoosing.value = true),
        },
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
      {isChoosing.value && card && (
        <Chooser
          board={board}
          kind="columns"
          of={card}
          onClose={() => (isChoosing.value = false)}
          onChoose={(chosen) => {
            isChoosing.value = false;
            props.onReplace(withColumns(card, chosen));
          }}
        />
      )}
    </div>
  );
}
