"""Python: a training run out of memory, numbers in logs, a seed."""

# ruff: noqa: E501  recorded lines are as long as they were

from benchmarks.factsets.builder import Session


def session() -> Session:
    """Three turns."""
    s = Session("s2-ml-training", "/home/yuki/ml/birdsong")
    s.ask(
        "training dies after an epoch on the 3090. fix it without changing the effective batch size"
    )
    s.bash(
        "python train.py --config configs/base.yaml 2>&1 | tail -30",
        "\n".join(
            [
                f"epoch 0 step {i * 50:5d} loss {2.9 - i * 0.07:.4f} lr 3.0e-04 {410 + i % 7} samples/s"
                for i in range(14)
            ]
            + [
                """Traceback (most recent call last):
  File "/home/yuki/ml/birdsong/train.py", line 142, in <module>
    main()
  File "/home/yuki/ml/birdsong/train.py", line 118, in main
    history.append(evaluate(model, val_loader))
  File "/home/yuki/ml/birdsong/birdsong/evaluate.py", line 27, in evaluate
    logits.append(model(x))
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.21 GiB. GPU 0 has a total capacity of 23.69 GiB of which 812.44 MiB is free."""
            ]
        ),
        fail=1,
    )
    s.read(
        "birdsong/evaluate.py",
        '''
import torch


def evaluate(model, loader):
    """Mean average precision over a loader."""
    model.eval()
    logits, targets = [], []
    for x, y in loader:
        x = x.cuda(non_blocking=True)
        logits.append(model(x))
        targets.append(y)
    return mean_average_precision(torch.cat(logits), torch.cat(targets))
''',
    )
    s.edit(
        "birdsong/evaluate.py",
        "def evaluate(model, loader):",
        "@torch.inference_mode()\ndef evaluate(model, loader):",
    )
    s.edit(
        "birdsong/evaluate.py",
        "        logits.append(model(x))",
        "        logits.append(model(x).cpu())",
    )
    s.bash(
        "python train.py --config configs/base.yaml --epochs 2 2>&1 | tail -5",
        """
epoch 0 val mAP 0.4127 peak mem 14.8 GiB
epoch 1 step   650 loss 1.4420 lr 2.9e-04 414 samples/s
epoch 1 val mAP 0.5013 peak mem 14.8 GiB
saved checkpoints/base-e1.pt
""",
    )
    s.done(
        "The OOM was in validation, not training: `evaluate()` ran without `inference_mode`, so every batch's graph stayed on the GPU until the concat. Added `@torch.inference_mode()` and moved logits to the CPU. Peak memory is now 14.8 GiB; batch size untouched."
    )
    s.fact(
        "CUDA out of memory after first epoch reason",
        "evaluate",
        "inference_mode",
        where="message",
        kind="cause",
    )
    s.fact("peak gpu memory of birdsong training", "14.8 GiB", where="output", kind="measured")

    s.ask("results differ run to run even with the same seed. mAP between .498 and .507")
    s.bash(
        "grep -rn 'seed\\|num_workers\\|deterministic' birdsong configs train.py",
        """
configs/base.yaml:9:seed: 1234
configs/base.yaml:17:num_workers: 6
train.py:61:    torch.manual_seed(cfg.seed)
birdsong/augment.py:22:        shift = np.random.randint(-800, 800)
""",
    )
    s.edit(
        "birdsong/augment.py",
        "        shift = np.random.randint(-800, 800)",
        "        shift = int(torch.randint(-800, 800, (1,)))",
        before="class TimeShift:\n    def __call__(self, wave):\n",
        after="\n        return np.roll(wave, shift)\n",
    )
    s.bash(
        "for i in 1 2 3; do python train.py --config configs/base.yaml --epochs 2 2>&1 | grep 'epoch 1 val'; done",
        """
epoch 1 val mAP 0.5021 peak mem 14.8 GiB
epoch 1 val mAP 0.5021 peak mem 14.8 GiB
epoch 1 val mAP 0.5021 peak mem 14.8 GiB
""",
    )
    s.done(
        "Fixed. `TimeShift` used numpy's global RNG, and numpy isn't seeded in DataLoader workers by `torch.manual_seed`. It uses `torch.randint` now (workers get seeded by torch). Three runs: 0.5021 each.\n\nI left `torch.use_deterministic_algorithms` off: it makes our 1-D convolutions about 30 % slower and isn't needed for identical results on one card."
    )
    s.fact("training seed in base.yaml", "1234", where="output", kind="config")
    s.fact(
        "same seed different results augmentation",
        "TimeShift|augment.py",
        "numpy",
        where="message",
        kind="cause",
    )
    s.fact(
        "why is use_deterministic_algorithms off",
        "deterministic",
        "30 %|slower",
        where="message",
        kind="rejected",
    )

    s.ask("/compact")
    s.done("")
    return s.end()
