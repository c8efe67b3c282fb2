import { Button, Choice, Cluster, FullScreenToggle, NumberBox, Select, Toggle, ToolbarLine } from '@insight-host/kit';
import { isPhone } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import { METHODS, MIN_DISTS, PERPLEXITIES, SPACES, UMAP_NEIGHBOURS, type EmbeddingParts } from './board';

interface ToolbarProps {
  readonly board: EmbeddingParts;
  readonly onSave: () => void;
}

export function Toolbar({ board, onSave }: ToolbarProps): JSX.Element {
  const { t: say } = board.page;
  const columns = board.source.columns.value;
  const isFlat = board.space.value === 'two';
  const method = (
    <Choice say={say} name="method" label={say('method')} values={METHODS} setting={board.method} how="push" />
  );
  const tools = (
    <>
      <EmbeddingChoice board={board} />
      <Choice say={say} name="space" label={say('space')} values={SPACES} setting={board.space} />
      {!isPhone.value && method}
      {board.method.value !== 'pca' && <LayoutTools board={board} />}
      {columns.length > 0 && (
        <label class="range">
          <span>{say('color')}</span>
          <Select
            name="color"
            label={say('color')}
            value={board.colorColumn.value?.name ?? ''}
            options={[
              { value: '', text: say('color.none') },
              ...columns.map(({ name }) => ({ value: name, text: name })),
            ]}
            onPick={(name) => board.colorBy.set(name)}
          />
        </label>
      )}
      <Cluster>
        <Button
          action="boxes"
          icon="box"
          label={say('boxes')}
          pressed={board.boxes.value}
          onPress={() => (board.boxes.value = !board.boxes.value)}
        />
        {!isFlat && (
          <Button
            action="turn"
            icon={board.orbit.turning.value ? 'pause' : 'play'}
            label={say('turn')}
            pressed={board.orbit.turning.value}
            onPress={() => board.orbit.turn()}
          />
        )}
        <Button action="camera" icon="reset" label={say('camera')} onPress={() => board.orbit.reset()} />
        <Button action="export" icon="export" label={say('export')} onPress={onSave} />
      </Cluster>
      <Cluster>
        <Toggle action="panel" icon="panel" label={say('panel')} setting={board.panel} />
        <FullScreenToggle page={board.page} setting={board.screen} />
      </Cluster>
    </>
  );
  const display = (
    <>
      {board.method.value === 'pca' && <AxesChoice board={board} />}
      <Toggle action="labels" text={say('labels')} label={say('labels.hint')} setting={board.labels} />
      {board.chosen.entry.value?.picture_size && (
        <Toggle action="pictures" text={say('pictures')} label={say('pictures.hint')} setting={board.pictures} />
      )}
      {board.method.value === 'pca' && (
        <Toggle action="unit" text={say('unit')} label={say('unit.hint')} setting={board.unitLength} />
      )}
    </>
  );
  return <ToolbarLine say={say} first={isPhone.value && method} tools={tools} display={display} />;
}

/** Which embedding of which run, at which step. */
function EmbeddingChoice({ board }: { readonly board: EmbeddingParts }): JSX.Element {
  const { t: say } = board.page;
  const { chosen } = board;
  const steps = chosen.steps.value;
  const at = steps.findIndex((entry) => entry === chosen.entry.value);
  return (
    <>
      {chosen.groups.value.length > 1 && (
        <Select
          look="run-choice"
          name="name"
          label={say('embedding')}
          value={chosen.group.value ?? ''}
          options={chosen.groups.value.map((group) => ({ value: group, text: group }))}
          onPick={(group) => chosen.pickGroup(group)}
        />
      )}
      {steps.length > 1 && (
        <label class="range" title={say('step.hint')}>
          <span>{say('step')}</span>
          <input
            type="range"
            data-control="step"
            aria-label={say('step')}
            aria-valuetext={String(steps[at]?.step ?? '')}
            min={0}
            max={steps.length - 1}
            step={1}
            value={at}
            onInput={(event) => chosen.pickStep(Number(event.currentTarget.value))}
          />
          <output>{steps[at]?.step}</output>
        </label>
      )}
    </>
  );
}

/** Which component is along which axis. */
function AxesChoice({ board }: { readonly board: EmbeddingParts }): JSX.Element | null {
  const { t: say } = board.page;
  const { value: points } = board.source.points;
  if (!points || points.components < 2) return null;
  const shown = board.space.value === 'two' ? [0, 1] : [0, 1, 2];
  const options = points.shares.map((share, value) => ({
    value,
    text: say('component', { number: value + 1 }),
    title: say('component.share', { number: value + 1, percent: (100 * share).toFixed(1) }),
  }));
  return (
    <span class="axes">
      {shown.map((axis) => (
        <Select
          key={axis}
          name={`axis-${axis}`}
          label={say('axis', { name: 'XYZ'[axis] as string })}
          value={board.axes.value[axis] as number}
          options={options}
          onPick={(component) => {
            const next: [number, number, number] = [...board.axes.value];
            next[axis] = component;
            board.axes.set(next);
          }}
        />
      ))}
    </span>
  );
}

/** What t-SNE or UMAP begins with, and how far it is. */
function LayoutTools({ board }: { readonly board: EmbeddingParts }): JSX.Element {
  const { t: say } = board.page;
  const { layouts } = board;
  const { value: progress } = layouts.progress;
  const isDone = progress !== null && progress.done === progress.steps;
  return (
    <>
      {board.method.value === 'umap' ? (
        <>
          <label class="range" title={say('umap.neighbours.hint')}>
            <span>{say('umap.neighbours')}</span>
            <NumberBox
              name="umap-neighbours"
              label={say('umap.neighbours')}
              value={board.umapNeighbours.value}
              low={UMAP_NEIGHBOURS[0]}
              high={UMAP_NEIGHBOURS[1]}
              onPick={(value) => board.umapNeighbours.set(value)}
            />
          </label>
          <label class="range" title={say('umap.distance.hint')}>
            <span>{say('umap.distance')}</span>
            <NumberBox
              name="umap-distance"
              label={say('umap.distance')}
              value={board.minDist.value}
              low={MIN_DISTS[0]}
              high={MIN_DISTS[1]}
              step={0.05}
              onPick={(value) => board.minDist.set(value)}
            />
          </label>
        </>
      ) : (
        <label class="range" title={say('tsne.perplexity.hint')}>
          <span>{say('tsne.perplexity')}</span>
          <NumberBox
            name="perplexity"
            label={say('tsne.perplexity')}
            value={board.perplexity.value}
            low={PERPLEXITIES[0]}
            high={PERPLEXITIES[1]}
            onPick={(value) => board.perplexity.set(value)}
          />
        </label>
      )}
      <span class="cluster">
        <Button
          action="layout-run"
          icon={layouts.running.value && !isDone ? 'pause' : 'play'}
          label={say(layouts.running.value ? 'layout.pause' : 'layout.continue')}
          disabled={progress === null || isDone}
          onPress={() => (layouts.running.value = !layouts.running.value)}
        />
        <Button action="layout-again" icon="back" label={say('layout.again')} onPress={() => layouts.restart()} />
      </span>
      <progress
        aria-label={say('layout.progress')}
        max={progress?.steps ?? 1}
        {...(progress ? { value: progress.done } : {})}
        data-done={isDone ? '1' : '0'}
      />
    </>
  );
}
