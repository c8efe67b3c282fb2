import { bytesText, Choice, Icon } from '@insight-host/kit';
import { useAnswer } from '@insight-host/kit/lab';
import type { ComponentChildren, JSX } from 'preact';
import type { Folded, Link, NodeDetail } from '../answers';
import type { GraphParts } from '../board';
import { TRACES } from '../looks';
import { KindMark, shapeText, storedRows, timeOf } from '../texts';

/** Everything about the selected node. */
export function NodePanel({ board, id }: { readonly board: GraphParts; readonly id: string }): JSX.Element {
  const { t: say } = board.page;
  const source = board.sources.graph.value;
  const { value: node, error } = useAnswer(
    source && JSON.stringify([source.key, id]),
    () => source?.node(id) ?? Promise.reject(new Error(id)),
  );
  if (error)
    return board.readable.value ? (
      <p class="hint" data-testid="node-error">
        {say('node.left_out', { name: id })}
      </p>
    ) : (
      <p class="problem" role="alert" data-testid="node-error">
        {error}
      </p>
    );
  if (!node) return <div class="waiting" aria-busy="true" />;
  return (
    <div class="node-panel" data-testid="node-panel" data-node={node.id}>
      <h3 aria-live="polite">
        <KindMark kind={node.kind} />
        <span class="name">{node.name}</span>
      </h3>
      <Path board={board} node={node} />
      {board.explorer.scene.value?.places.has(node.id) && (
        <Choice say={say} name="trace" label={say('trace')} values={TRACES} setting={board.looks.trace} />
      )}
      <Facts board={board} node={node} />
      <Links board={board} name="inputs" links={node.input_edges} total={node.inputs_total} />
      <FoldedInputs board={board} folded={node.folded ?? []} />
      <Links board={board} name="outputs" links={node.output_edges} total={node.outputs_total} />
      {node.value && (
        <Section title={say('node.value')}>
          <pre class="value">{node.value}</pre>
        </Section>
      )}
      {node.attributes.length > 0 && (
        <Section title={say('node.attributes')} count={node.attributes.length}>
          <table class="facts" data-testid="attributes">
            <tbody>
              {node.attributes.map((attribute, i) => (
                <tr key={i}>
                  <th scope="row" title={attribute.type}>
                    {attribute.name}
                  </th>
                  <td>
                    {attribute.value}
                    {attribute.cut && (
                      <span class="count">
                        {' '}
                        {say('node.cut', { size: bytesText(attribute.size, board.page.locale.value) })}
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      )}
      {(node.types?.length ?? 0) > 0 && (
        <Section title={say('node.types')} count={node.types?.length ?? 0}>
          <Types board={board} types={node.types ?? []} />
        </Section>
      )}
    </div>
  );
}

function Path({ board, node }: { readonly board: GraphParts; readonly node: NodeDetail }): JSX.Element {
  return (
    <nav class="path" aria-label={board.page.t('node.path')}>
      {node.path.map((step) => (
        <button
          key={step.id}
          type="button"
          class="link"
          data-action="to-scope"
          data-id={step.id}
          title={step.id}
          onClick={() => void board.explorer.reveal(step.id)}
        >
          {step.name}
        </button>
      ))}
    </nav>
  );
}

function Facts({ board, node }: { readonly board: GraphParts; readonly node: NodeDetail }): JSX.Element {
  const { t: say } = board.page;
  const number = (value: number): string => value.toLocaleString(board.page.locale.value);
  const { locale } = board.page;
  const group = node.kind === 'scope' || node.kind === 'stack';
  const facts: readonly (readonly [name: string, value: string, hint?: string])[] = [
    ['kind', say(`kind.${node.kind}`)],
    ['type', node.type],
    ['scope', node.scope],
    ['full_name', node.full_name === node.name ? '' : node.full_name],
    ['output_types', node.output_types.map(shapeText).join('\n')],
    ['members', group ? number(node.members ?? node.children) : ''],
    ['operators', group ? number(node.operators) : ''],
    ['parameters', group && node.parameters > 0 ? number(node.parameters) : ''],
    ['constants', group && node.constants > 0 ? number(node.constants) : ''],
    ...storedRows(board.page, node.stored ?? {}, { layers: board.records.graph.value?.kind === 'layers' }),
    ['device', node.device + (node.devices > 1 ? ` (+${node.devices - 1})` : '')],
    ['time', node.time === null ? '' : timeOf(node.time, locale.value)],
    ['source', node.source],
    ['copies', (node.copies?.length ?? 0) > 1 ? number(node.copies?.length ?? 0) : ''],
  ];
  return (
    <dl class="facts" data-testid="facts">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name} data-fact={name}>
            <dt>{say(`node.${name}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Links({
  board,
  name,
  links,
  total,
}: {
  readonly board: GraphParts;
  readonly name: 'inputs' | 'outputs';
  readonly links: readonly Link[];
  readonly total: number;
}): JSX.Element | null {
  const { t: say } = board.page;
  if (total === 0) return null;
  return (
    <Section title={say(`node.${name}`)} count={total}>
      <ul class="links" data-testid={name}>
        {links.map((link, i) => (
          <li key={i} class={link.edge}>
            <KindMark kind={link.kind} />
            {link.id === null ? (
              <span class="missing" title={say('node.missing')}>
                <Icon name="warn" />
                {link.name}
              </span>
            ) : (
              <button
                type="button"
                class="link"
                data-action="to-node"
                data-id={link.id}
                title={link.id}
                onClick={() => link.id !== null && void board.explorer.reveal(link.id)}
              >
                {link.path}
              </button>
            )}
            <span class="what">
              {[
                link.edge === 'control' ? say('edge.control') : shapeText(link),
                link.count > 1 ? `×${link.count.toLocaleString(board.page.locale.value)}` : '',
              ]
                .filter(Boolean)
                .join(' ')}
            </span>
          </li>
        ))}
      </ul>
      {links.length < total && <p class="count">{say('node.some', { shown: links.length, count: total })}</p>}
    </Section>
  );
}

/** Inputs that are listed here because the readability pass does not draw them. */
function FoldedInputs({
  board,
  folded,
}: {
  readonly board: GraphParts;
  readonly folded: readonly Folded[];
}): JSX.Element | null {
  if (folded.length === 0) return null;
  return (
    <Section title={board.page.t('node.folded')} count={folded.length}>
      <ul class="links" data-testid="folded">
        {folded.map((one, i) => (
          <li key={i}>
            <KindMark kind={one.kind} />
            <span class="name" title={one.type}>
              {one.name}
            </span>
            <span class="what">{one.value || shapeText(one)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Types({
  board,
  types,
}: {
  readonly board: GraphParts;
  readonly types: readonly { readonly type: string; readonly count: number; readonly time?: number | null }[];
}): JSX.Element {
  const most = Math.max(1, ...types.map(({ count }) => count));
  return (
    <table class="types" data-testid="types">
      <tbody>
        {types.map(({ type, count, time }) => (
          <tr key={type}>
            <th scope="row">
              <i style={{ width: `${(100 * count) / most}%` }} />
              <span>{type || '–'}</span>
            </th>
            <td class="number">{count.toLocaleString(board.page.locale.value)}</td>
            {types.some((other) => other.time) && (
              <td class="number">{time ? timeOf(time, board.page.locale.value) : ''}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Section({
  title,
  count,
  children,
}: {
  readonly title: string;
  readonly count?: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <details open>
      <summary>
        {title}
        {count !== undefined && <span class="count">{count}</span>}
      </summary>
      {children}
    </details>
  );
}
