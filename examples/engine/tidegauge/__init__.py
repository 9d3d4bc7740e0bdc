"""Water level from ultrasonic echoes; standard library only."""
