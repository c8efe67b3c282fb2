import { Button, Dialog } from '@insight-host/kit';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { tagsOf } from '../card/arrangement';
import type { CardDialogProps } from './parts';

/** The order of the sections, and of the cards in the section of the card that opened it. */
export function ArrangeDialog({ board, tag, onClose }: CardDialogProps): JSX.Element {
  const { t: say } = board.page;
  const titleOf = (name: string): string => board.page.titleOf(name);
  const { arrangement } = board;
  const group = arrangement.groupOf(tag);
  const sections = arrangement.groups.map(({ name }) => name);
  return (
    <Dialog
      name="arrange"
      title={say('arrange.title')}
      onClose={onClose}
      foot={
        <button
          type="button"
          data-action="reset-order"
          disabled={!arrangement.isOn.value}
          onClick={() => arrangement.reset()}
        >
          {say('arrange.reset')}
        </button>
      }
    >
      {group && (
        <Order
          say={say}
          title={say('arrange.cards', {
            section: group.kind === 'pinned' ? say('group.pinned') : sectionTitle(group.name),
          })}
          names={tagsOf(group)}
          titleOf={titleOf}
          current={tag}
          onMove={(name, to) => arrangement.moveCard(name, to)}
        />
      )}
      {sections.length > 1 && (
        <Order
          say={say}
          title={say('arrange.sections')}
          names={sections}
          titleOf={sectionTitle}
          current={group?.name}
          onMove={(name, to) => arrangement.moveSection(name, to)}
        />
      )}
    </Dialog>
  );

  function sectionTitle(name: string): string {
    return name ? titleOf(name) : say('group.plain');
  }
}

interface OrderProps {
  readonly say: CardDialogProps['board']['page']['t'];
  readonly title: string;
  readonly names: readonly string[];
  readonly titleOf: (name: string) => string;
  /** The one that is in sight first. */
  readonly current: string | undefined;
  readonly onMove: (name: string, to: number) => void;
}

function Order({ say, title, names, titleOf, current, onMove }: OrderProps): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  const pressed = useRef<{ readonly name: string; readonly action: string } | null>(null);
  useEffect(() => {
    [...(list.current?.children ?? [])][names.indexOf(current ?? '')]?.scrollIntoView({ block: 'nearest' });
  }, []);
  useEffect(() => {
    const { current: last } = pressed; // its element was moved, which takes the focus from it
    pressed.current = null;
    const item = last && [...(list.current?.children ?? [])][names.indexOf(last.name)];
    const buttons = [...(item?.querySelectorAll<HTMLButtonElement>('button:not(:disabled)') ?? [])];
    (buttons.find((button) => button.dataset['action'] === last?.action) ?? buttons[0])?.focus();
  }, [names.join('\n')]);
  const move = (name: string, action: 'up' | 'down'): void => {
    pressed.current = { name, action };
    onMove(name, names.indexOf(name) + (action === 'up' ? -1 : 1));
  };
  return (
    <fieldset class="order">
      <legend>{title}</legend>
      <ul ref={list}>
        {names.map((name, place) => (
          <li key={name} data-name={name} class={name === current ? 'current' : ''}>
            <span class="name">{titleOf(name)}</span>
            <Button
              action="up"
              text="↑"
              label={say('arrange.up', { name: titleOf(name) })}
              disabled={place === 0}
              onPress={() => move(name, 'up')}
            />
            <Button
              action="down"
              text="↓"
              label={say('arrange.down', { name: titleOf(name) })}
              disabled={place === names.length - 1}
              onPress={() => move(name, 'down')}
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
