import { Button, Choice, NumberBox, valueText } from '@insight-host/kit';
import type { JSX } from 'preact';
import { METRICS, NEIGHBOURS, select, type EmbeddingParts } from './board';
import { PointLine, Thumbnail } from './points';

/** The chosen point: what is known of it, and which points are near it in all dimensions. */
export function PointPanel({ board }: { readonly board: EmbeddingParts }): JSX.Element {
  const { t: say } = board.page;
  const { value: point } = board.focused;
  if (point === null)
    return (
      <section>
        <h4>{say('chosen')}</h4>
        <p class="hint">{say('chosen.none')}</p>
      </section>
    );
  const { neighbours, neighboursError } = board.source;
  const found = neighbours.value;
  return (
    <section data-testid="chosen">
      <h4>
        <span class="name">{board.labelOf(point)}</span>
        <Button action="clear-point" icon="close" label={say('chosen.clear')} onPress={() => board.point.set(null)} />
      </h4>
      <div class="facts">
        <Thumbnail board={board} point={point} side={56} />
        <dl>
          {board.source.columns.value.map((column) => (
            <div key={column.name}>
              <dt>{column.name}</dt>
              <dd>{column.labels[column.codes[point] ?? -1]}</dd>
            </div>
          ))}
          <div>
            <dt>{say('number')}</dt>
            <dd>{point}</dd>
          </div>
        </dl>
      </div>
      <h4>{say('neighbours')}</h4>
      <div class="row">
        <Choice say={say} name="metric" label={say('metric')} values={METRICS} setting={board.metric} />
        <NumberBox
          name="neighbours"
          label={say('neighbours.count')}
          value={board.count.value}
          low={NEIGHBOURS[0]}
          high={NEIGHBOURS[1]}
          onPick={(count) => board.count.set(count)}
        />
      </div>
      {neighboursError.value ? (
        <p class="problem" role="alert">
          {neighboursError.value}
        </p>
      ) : (
        <>
          <ul class="points" aria-busy={found === null} data-testid="neighbours">
            {found?.points.map((near, i) => (
              <PointLine
                key={near}
                board={board}
                point={near}
                note={valueText(rounded(found.distances[i] as number))}
              />
            ))}
          </ul>
          {found && found.points.length > 0 && (
            <Button
              action="select-neighbours"
              label={say('neighbours.select')}
              text={say('neighbours.select')}
              onPress={() => select(board, Uint32Array.from([point, ...found.points]).sort())}
            />
          )}
          {found?.points.length === 0 && <p class="hint">{say('neighbours.none')}</p>}
        </>
      )}
    </section>
  );
}

const rounded = (distance: number): number => Number(distance.toPrecision(4));
