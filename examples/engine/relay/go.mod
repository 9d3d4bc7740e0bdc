module portfolio.example/tidegauge/relay

go 1.22
