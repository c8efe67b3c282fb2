"""Pictures, videos, sounds, meshes and embeddings of ``SummaryWriter``."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from insight_record.arrays import array_of
from insight_record.run_writer import RunWriter
from insight_record.values.meshes import mesh
from insight_record.values.pictures import boxed, figure, picture, video
from insight_record.values.projections import Projector
from insight_record.values.sounds import sound

log = logging.getLogger(__name__)


class MediaWriter(RunWriter):
    """Records pictures, videos, sounds, meshes and embeddings. Arrays may be of any library.

    In every method ``global_step`` is 0 and ``walltime`` now, in seconds since the epoch, by default. Invalid
    values raise ValueError or TypeError.
    """

    _projector: Projector | None = None

    def add_image(
        self,
        tag: str,
        img_tensor: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Records a picture. ``dataformats`` names its dimensions: CHW, HWC, HW, and NCHW for a batch.

        uint8 is written unchanged; other types are from 0 to 1, what is beyond is clipped. Alpha is kept.
        """
        self._put([picture(tag, img_tensor, dataformats)], global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Records a batch as one picture, eight in a row.

        A list of pictures is a batch too; its ``dataformats`` are those of a picture, such as CHW.
        """
        if isinstance(img_tensor, (list, tuple)) and len(dataformats) == 3:
            img_tensor, dataformats = np.stack([array_of(one) for one in img_tensor]), f"N{dataformats}"
        self._put([picture(tag, img_tensor, dataformats)], global_step, walltime)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,  # noqa: ANN401
        box_tensor: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        walltime: float | None = None,
        rescale: Any = 1,  # noqa: ANN401
        dataformats: Any = "CHW",  # noqa: ANN401
        labels: Sequence[str] | None = None,
    ) -> None:
        """Records a picture with red boxes, [n, 4]: left, top, right, bottom. Needs Pillow.

        As in tensorboardX, ``dataformats`` and ``labels`` may stand at the place of ``rescale``.
        """
        if isinstance(rescale, str):
            labels = labels if dataformats == "CHW" else dataformats
            rescale, dataformats = 1, rescale
        value = boxed(tag, img_tensor, box_tensor, rescale=rescale, dataformats=dataformats, labels=labels)
        self._put([value], global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Records a figure of matplotlib, or a list of figures, and closes them."""
        pixels = _pixels_of(figure, close=close)
        self._put([picture(tag, pixels, "NHWC" if pixels.ndim == 4 else "HWC")], global_step, walltime)

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        fps: float = 4,
        walltime: float | None = None,
        dataformats: str = "NTCHW",
    ) -> None:
        """Records a video, or a batch side by side, as an animated GIF. Needs Pillow.

        Values are those of ``add_image``; ``fps`` is in frames per second.
        """
        self._put([video(tag, vid_tensor, fps, dataformats)], global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Records a sound as a WAV file: samples from -1 to 1, [1, n], [n], or [n, 2] for two channels."""
        self._put([sound(tag, snd_tensor, sample_rate)], global_step, walltime)

    def add_mesh(
        self,
        tag: str,
        vertices: Any,  # noqa: ANN401
        colors: Any = None,  # noqa: ANN401
        faces: Any = None,  # noqa: ANN401
        config_dict: Mapping[str, Any] | None = None,
        global_step: Any = None,  # noqa: ANN401
        walltime: float | None = None,
    ) -> None:
        """Records a mesh or a cloud of points: [batch, n, 3] each.

        ``faces`` are indices of vertices, ``colors`` from 0 to 255; ``config_dict`` has settings of three.js.
        """
        self._put(mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def add_embedding(
        self,
        mat: Any,  # noqa: ANN401
        metadata: Sequence[Any] | None = None,
        label_img: Any = None,  # noqa: ANN401
        global_step: Any = None,  # noqa: ANN401
        tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:
        """Writes the files of TensorBoard's projector for points [n, d].

        Each point may have a label (``metadata``) and a picture (``label_img``, [n, C, H, H]).
        With ``metadata_header`` a label has a column for each of its names.
        """
        step, _ = self._when(global_step, None)
        self._run()
        if self._muted:
            return
        self._projector = self._projector or Projector()
        self._projector.add(Path(self.log_dir), mat, metadata, label_img, step, tag, metadata_header)


_pixels_of = figure  # the argument of ``add_figure`` has this name
