import { fileName, Menu, message } from 'insight-host/kit';
import { render, type JSX } from 'preact';
import type { GraphBoard } from './board';
import { Drawing } from './drawing';
import { inkOf, paletteOf } from './ink';
import type { Scene } from './scene';

const MARGIN = 16;
const MOST_PIXELS = 60e6; // of a PNG; browsers refuse larger canvases
const MOST_LENGTH = 16_000; // pixels of a side
const SVG = 'http://www.w3.org/2000/svg';

/** Saves the whole drawing, as it is opened and coloured now. */
export function Exports({ board }: { readonly board: GraphBoard }): JSX.Element {
  const say = board.t.bind(board);
  const save = async (extension: 'svg' | 'png'): Promise<void> => {
    const scene = board.explorer.scene.peek();
    if (!scene) return;
    try {
      const picture = pictureOf(board, scene);
      const content = extension === 'svg' ? new Blob([picture.text], { type: 'image/svg+xml' }) : await painted(picture);
      const record = board.show.value === 'graph' ? board.graph.value : board.pipeline.value;
      board.ctx.ui.download(fileName(`${record?.run ?? ''}_${record && 'name' in record ? record.name : 'pipeline'}`, extension, 'graph'), content);
    } catch (error) {
      board.ctx.notify('error', say('export.failed', { reason: message(error) }));
    }
  };
  return (
    <Menu
      action="export"
      icon="export"
      label={say('export.title')}
      items={() => [
        { action: 'export-svg', text: say('export.svg'), onPress: () => void save('svg') },
        { action: 'export-png', text: say('export.png'), onPress: () => void save('png') },
      ]}
    />
  );
}

interface Picture {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** A file of its own: every colour is resolved, every place an attribute, nothing is fetched. */
function pictureOf(board: GraphBoard, scene: Scene): Picture {
  const ink = inkOf(board.theme.value);
  const [width, height] = [Math.ceil(scene.width) + 2 * MARGIN, Math.ceil(scene.height) + 2 * MARGIN];
  const root = document.createElementNS(SVG, 'svg');
  const set = (name: string, value: string | number): void => root.setAttribute(name, String(value));
  set('width', width);
  set('height', height);
  set('viewBox', `${-MARGIN} ${-MARGIN} ${width} ${height}`);
  render(
    <>
      <rect x={-MARGIN} y={-MARGIN} width={width} height={height} fill={ink.background} />
      <Drawing scene={scene} ink={ink} palette={paletteOf(scene, ink, board.colored.value)} highlight={null} still />
    </>,
    root,
  );
  const text = new XMLSerializer().serializeToString(root);
  render(null, root);
  return { text, width, height };
}

async function painted({ text, width, height }: Picture): Promise<Blob> {
  const scale = Math.min(2, MOST_LENGTH / width, MOST_LENGTH / height, Math.sqrt(MOST_PIXELS / (width * height)));
  const address = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(address);
  }
}
