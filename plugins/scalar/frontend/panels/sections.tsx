import { Button, Icon } from '@insight-host/kit';
import { useSize } from '@insight-host/kit/lab';
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { ScalarParts } from '../board';
import { PanelFrame } from './frame';
import { kindsOf } from './kinds';
import { panelOf, type Panel } from './panels';

const OWN = 'own';

/** All panels: those of the user, and below headings of their own those that logs bring. */
export function Sections({ board }: { readonly board: ScalarParts }): JSX.Element {
  const { own, ofSelected } = board.panels;
  const { t: say } = board.page;
  const add = (): void => void (board.dialog.value = { kind: 'panel', tag: '' });
  return (
    <div class="panels">
      {own.value.length > 0 && (
        <Section board={board} name={OWN} title={say('panel.section')} closed={false} panels={own.value} isOwn>
          <Button action="add-panel" text="+" label={say('panel.add')} onPress={add} />
        </Section>
      )}
      {ofSelected.value.map(({ title, closed, panels }) => (
        <Section
          key={title}
          board={board}
          name={`log/${title}`}
          title={title}
          closed={closed}
          panels={panels}
          isOwn={false}
        >
          <Button
            action="keep-panels"
            text={say('panel.keep_all')}
            label={say('panel.keep_all.hint')}
            onPress={() => void board.panels.add(...panels.flatMap((panel) => panelOf(panel) ?? []))}
          />
        </Section>
      ))}
    </div>
  );
}

interface SectionProps {
  readonly board: ScalarParts;
  /** In the URL. */
  readonly name: string;
  readonly title: string;
  readonly closed: boolean;
  readonly panels: readonly Panel[];
  readonly isOwn: boolean;
  /** Tools behind the title. */
  readonly children: ComponentChildren;
}

function Section({ board, name, title, closed, panels, isOwn, children }: SectionProps): JSX.Element {
  const isFolded = board.panels.isFolded(name, closed);
  return (
    <section class="group" data-panels={name} aria-label={title}>
      <h2>
        <button type="button" aria-expanded={!isFolded} title={title} onClick={() => board.panels.turn(name)}>
          <Icon name={isFolded ? 'closed' : 'open'} />
          <span class="name">{title}</span>
          <span class="count">{panels.length}</span>
        </button>
        {children}
      </h2>
      {!isFolded && <PanelGrid board={board} panels={panels} isOwn={isOwn} />}
    </section>
  );
}

function PanelGrid({ board, panels, isOwn }: Pick<SectionProps, 'board' | 'panels' | 'isOwn'>): JSX.Element {
  const grid = useRef<HTMLDivElement>(null);
  const { width } = useSize(grid).value;
  const kinds = kindsOf(board);
  return (
    <div class="panel-grid" ref={grid}>
      {panels.map((panel, place) => (
        <PanelFrame
          key={panel.id}
          board={board}
          panel={panel}
          kinds={kinds}
          at={isOwn ? { place, count: panels.length } : null}
          boardWidth={width}
        />
      ))}
    </div>
  );
}
