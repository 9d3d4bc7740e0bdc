"""What does Hugo publish, where, and with which anchors? Its rules, without running it."""
